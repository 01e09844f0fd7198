"""Hidden tests of exercise 1.5: a self-attention layer with its own weights."""

import numpy as np

from autograder.a1.reference import attention, project_qkv
from grader.checking import expect
from grader.checking.exercise import exercise
from grader.checking.known_mistakes import known_mistakes

MISTAKE = known_mistakes(__file__)

READ = "§3.2.2"
NAMES = ("w_q", "w_k", "w_v")
GLOBAL_STATE = "(lambda s: [s[1].copy(), s[2]])(np.random.get_state())"


def _injected(student, rng, d_model, d_k, d_v):
    """A layer with known weights, and those weights."""
    layer = student.SelfAttention(
        d_model, d_k=d_k, d_v=d_v, rng=student.make("np.random.default_rng(0)")
    )
    widths = (d_k, d_k, d_v)
    weights = [rng.normal(size=(d_model, width)) / np.sqrt(d_model) for width in widths]
    for name, weight in zip(NAMES, weights, strict=True):
        layer.set(name, weight)
    return layer, weights


def _parts(got):
    return expect.parts(got, 2, otherwise="return output, weights", read=READ)


@exercise("1.5")
def test_sizes(student):
    """Weights are (d_model, d_k) and (d_model, d_v); both widths default to d_model."""
    for sizes, widths in (
        ({"d_k": 3, "d_v": 4}, (3, 3, 4)),
        ({"d_k": 3}, (3, 3, 5)),
        ({"d_v": 4}, (5, 5, 4)),
    ):
        layer = student.SelfAttention(5, **sizes)
        for name, width in zip(NAMES, widths, strict=True):
            causes = {"transposed: x @ w needs (d_model, width)": (width, 5)}
            if name == "w_v" and "d_v" not in sizes:
                causes[MISTAKE.layer_d_v_follows_d_k] = (5, 3)
            expect.shape(
                layer.get(name), (5, width), what=f"{name} with {sizes}", read=READ,                otherwise="w_q and w_k are (d_model, d_k), w_v is (d_model, d_v)",
            )  # fmt: skip


@exercise("1.5", weight=2)
def test_written_in_weights(student, rng):
    """With known weights: output and weights are those of the projected x, also in a batch."""
    layer, (w_q, w_k, w_v) = _injected(student, rng, 4, 4, 4)
    for x in (rng.normal(size=(5, 4)), rng.normal(size=(2, 3, 5, 4))):
        query, key, value = project_qkv(x, w_q, w_k, w_v)
        called = student.call(layer, x)
        output, weights = _parts(called.value)
        expect.unchanged(called.changed)
        expect.close(
            weights, attention(query, key, value)[1], atol=1e-5, what="weights", read=READ,
            otherwise="read self.w_q and self.w_k at call time",
        )  # fmt: skip
        expect.close(
            output, attention(query, key, value)[0], atol=1e-5, what="output", read=READ,
            otherwise="the weights are correct: apply them to the values x @ w_v",
        )  # fmt: skip


@exercise("1.5", weight=2)
def test_mask_reaches_attention(student, rng):
    """The layer passes its mask to attention."""
    layer, weights = _injected(student, rng, 4, 3, 5)
    x, mask = rng.normal(size=(2, 6, 4)), np.tri(6, dtype=bool)
    query, key, value = project_qkv(x, *weights)
    transposed = {
        f"the weights are transposed in the call: {name} is (d_model, width)": (
            lambda weight=weight: x @ weight.T
        )
        for name, weight in zip(NAMES, weights, strict=True)
    }
    output, got = _parts(layer(x, mask=mask))
    want, want_weights = attention(query, key, value, mask)
    expect.close(
        got, want_weights, atol=1e-5, what="weights under a causal mask", read="§3.2.3, last item",
        otherwise="attention(query, key, value, mask)",
    )  # fmt: skip
    expect.close(output, want, atol=1e-5, what="output", otherwise="use the masked weights")


@exercise("1.5")
def test_call_keeps_weights(student, rng):
    """A call leaves the weights unchanged, and a second call gives the same output."""
    layer = student.SelfAttention(4, rng=student.make("np.random.default_rng(5)"))
    x = rng.normal(size=(3, 4))
    before = [np.asarray(layer.get(name)) for name in NAMES]
    first, second = (_parts(layer(x))[0] for _ in range(2))
    for name, weight in zip(NAMES, before, strict=True):
        moved = np.abs(np.asarray(layer.get(name)) - weight).max()
        expect.below(
            float(moved), 1e-6, expected=f"{name} unchanged by a call",
            got=f"a largest change of {moved:.3g}", read="exercise 1.5",
        )  # fmt: skip
    expect.close(
        second, first, what="the output of a second call", read="exercise 1.5",
        otherwise="a call must depend only on x, the mask and the layer's own weights",
    )  # fmt: skip


@exercise("1.5")
def test_three_different_weights(student):
    """A layer draws three different matrices from `rng`, and two layers differ."""
    generator = student.make("np.random.default_rng(11)")
    layers = [student.SelfAttention(4, rng=generator) for _ in range(2)]
    first, second = ({name: np.asarray(layer.get(name)) for name in NAMES} for layer in layers)
    for layer in (first, second):
        for one, other in (("w_k", "w_q"), ("w_v", "w_q"), ("w_v", "w_k")):
            _differ(
                layer[one], layer[other], f"{one} different from {other}",
                MISTAKE.saying(
                    f"one matrix is used as both {other} and {one}: draw three, one after another"
                ),
            )  # fmt: skip
    for name in NAMES:
        _differ(
            first[name], second[name], f"{name} of a second layer different from the first's",
            MISTAKE.layer_ignores_rng,
        )  # fmt: skip


def _differ(one, other, expected, because):
    """Check that two weights are different draws; constant weights get no diagnosis."""
    if one.shape == other.shape:
        expect.above(
            float(np.abs(one - other).max()), 1e-3, expected=expected, got="the same numbers",
            because=because if np.ptp(one) > 0 else "",
            otherwise="draw every weight from `rng`", read=READ,
        )  # fmt: skip


@exercise("1.5")
def test_only_the_given_generator(student):
    """Generators with the same seed give the same layer, and nothing else affects it."""
    first, second = (
        student.call(
            student.SelfAttention, 4, rng=student.make("np.random.default_rng(7)"), seed=seed
        ).value
        for seed in (1, 2)
    )
    for name in NAMES:
        one, other = np.asarray(first.get(name)), np.asarray(second.get(name))
        expect.below(
            float(np.abs(one - other).max()), 1e-6, read="exercise 1.5",
            expected=f"the same {name} from generators of the same seed", got="a different one",
        )  # fmt: skip


@exercise("1.5")
def test_generators(student):
    """Without `rng`, layers differ and NumPy's global generator is untouched."""
    student.make(
        "np.random.random()"
    )  # so that a later draw changes only the position, not the keys
    keys, position = student.make(GLOBAL_STATE).get()
    first, second = (np.asarray(student.SelfAttention(4).get("w_q")) for _ in range(2))
    keys_after, position_after = student.make(GLOBAL_STATE).get()
    expect.true(
        np.array_equal(keys, keys_after), expected="NumPy's global generator unchanged",
        got="a different state", read="exercise 1.5",
    )  # fmt: skip
    expect.true(
        position == position_after, expected="NumPy's global generator unchanged",
        got="numbers drawn from it", read="exercise 1.5",
    )  # fmt: skip
    given = np.asarray(
        student.SelfAttention(4, rng=student.make("np.random.default_rng(8)")).get("w_q")
    )
    ignored = first.shape == given.shape and np.allclose(first, given)
    _differ(
        first, second, "two layers with different weights",
        "every layer has the same numbers, whatever `rng` is" if ignored
        else MISTAKE.layer_default_seed,
    )  # fmt: skip
