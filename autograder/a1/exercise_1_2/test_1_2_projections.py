"""Hidden tests of exercise 1.2: queries, keys and values as linear maps of the same input."""

from autograder.a1.reference import project_qkv
from grader.checking import expect
from grader.checking.exercise import exercise
from grader.checking.known_mistakes import known_mistakes

MISTAKE = known_mistakes(__file__)

READ = "§3.2.2"
NAMES = ("query", "key", "value")


def _drawn(rng, x_shape, *weight_shapes):
    return [rng.normal(size=shape) for shape in (x_shape, *weight_shapes)]


def _projected(student, *args):
    return expect.parts(
        student.project_qkv(*args), 3, otherwise="return query, key, value", read=READ
    )


@exercise("1.2")
def test_contract(student, rng):
    """Three new arrays of widths d_k, d_k and d_v, for d_k ≠ d_v."""
    arrays = _drawn(rng, (7, 6), (6, 8), (6, 8), (6, 3))
    x = arrays[0]
    transposed = {
        MISTAKE.projection_weight_transposed.format(name=name[0]): (
            lambda weight=weight: x @ weight.T
        )
        for name, weight in zip(NAMES, arrays[1:], strict=True)
    }
    called = student.call(student.project_qkv, *arrays)
    parts = expect.parts(called.value, 3, otherwise="return query, key, value", read=READ)
    for name, got, width in zip(NAMES, parts, (8, 8, 3), strict=True):
        expect.shape(
            got, (7, width), what=f"the {name}", read=READ,
            otherwise=f"the {name} has one feature per column of its own weight",
        )  # fmt: skip
    expect.unchanged(called.changed)


@exercise("1.2")
def test_each_has_its_own_weight(student, rng):
    """w_q gives the query, w_k the key and w_v the value."""
    x, *weights = _drawn(rng, (5, 6), (6, 4), (6, 4), (6, 4))
    products = [x @ weight for weight in weights]
    got = _projected(student, x, *weights)
    for i, name in enumerate(NAMES):
        others = {
            MISTAKE.saying(f"this is x @ {used}: the {name} has its own weight"): products[j]
            for j, used in enumerate(("w_q", "w_k", "w_v"))
            if j != i
        }
        expect.close(
            got[i], products[i], atol=1e-5, what=name, read=READ,
            otherwise=f"the {name} is x @ w_{name[0]}, with no bias",
        )  # fmt: skip


@exercise("1.2")
def test_square_weights(student, rng):
    """Square weights are not transposed (unlike in torch's Linear)."""
    x, *weights = _drawn(rng, (3, 4), (4, 4), (4, 4), (4, 4))
    got = _projected(student, x, *weights)
    for name, value, weight in zip(NAMES, got, weights, strict=True):
        expect.close(
            value, x @ weight, atol=1e-5, what=name, read=READ,
            otherwise=f"the {name} is x @ w_{name[0]}",
        )  # fmt: skip


@exercise("1.2")
def test_leading_axes(student, rng):
    """Inputs with one or two batch axes keep them."""
    for lead in ((2,), (2, 3)):
        x, *weights = _drawn(rng, (*lead, 5, 6), (6, 4), (6, 4), (6, 2))
        got = _projected(student, x, *weights)
        wanted = project_qkv(x, *weights)
        for name, value, want in zip(NAMES, got, wanted, strict=True):
            expect.close(
                value, want, atol=1e-5, what=f"{name} of a {x.shape} input", read=READ,
                otherwise="matmul leaves leading axes alone: x @ w",
            )  # fmt: skip
