"""Hidden tests of exercise 1.1: softmax along any axis, finite for every finite input."""

import numpy as np

from autograder.a1.reference import softmax
from grader.checking import expect
from grader.checking.exercise import exercise
from grader.checking.known_mistakes import known_mistakes

MISTAKE = known_mistakes(__file__)

READ = "§3.2.1, Eq. 1"
TRAP = "exercise 1.1, the trap"


@exercise("1.1")
def test_contract(student, rng):
    """A new array of the input's shape, for float64 and float32."""
    for dtype in ("float64", "float32"):
        x = rng.normal(size=(2, 3, 4)).astype(dtype)
        called = student.call(student.softmax, x)
        expect.close(
            called.value,
            softmax(x),
            atol=1e-5,
            causes={
                MISTAKE.softmax_not_normalised: np.exp(x - x.max(axis=-1, keepdims=True)),
                "this is exp alone: divide by the sum of the exponentials": np.exp(x),
                MISTAKE.softmax_logarithm: np.log(softmax(x)),
                "the sign is flipped: large inputs get small weights": softmax(-x),
            },
            otherwise="exp of every entry, divided by the sum of exp along the last axis",
            read=READ,
            what=f"softmax of a {dtype} array",
        )
        expect.unchanged(
            called.changed,
            because=MISTAKE.softmax_in_place,
        )


@exercise("1.1")
def test_every_axis(student, rng):
    """The weights sum to one along `axis`."""
    x = rng.normal(size=(3, 4, 5))
    for axis in (0, 1, 2, -2):
        shifted = np.exp(x - x.max(axis=axis, keepdims=True))
        others = {
            MISTAKE.saying(
                f"the weights sum to one along axis {other}, whatever `axis` says"
            ): softmax(x, other)
            for other in (-1, 0, 1)
            if other % 3 != axis % 3
        }
        expect.close(
            student.softmax(x, axis=axis),
            softmax(x, axis),
            atol=1e-5,
            causes={
                "summed over all entries, not along `axis`": np.exp(x) / np.exp(x).sum(),
                MISTAKE.softmax_sum_over_everything: (shifted / shifted.sum()),
                **others,
            },
            otherwise=f"take the maximum and the sum along axis={axis}, with keepdims=True",
            read=READ,
            what=f"softmax along axis {axis}",
        )


@exercise("1.1")
def test_square_matrix(student, rng):
    """Every row is divided by its own sum, also in a square matrix."""
    x = rng.normal(size=(4, 4))
    e, shifted = np.exp(x), np.exp(x - x.max(axis=-1, keepdims=True))
    expect.close(
        student.softmax(x),
        softmax(x),
        atol=1e-5,
        causes={
            MISTAKE.softmax_without_keepdims: (shifted / shifted.sum(axis=-1)),
            "without keepdims=True the row maxima also line up with the columns": e
            / e.sum(axis=-1),
            MISTAKE.softmax_default_axis_first: softmax(x, 0),
        },
        otherwise="divide row i by the sum of row i",
        read=READ,
    )


@exercise("1.1")
def test_large_values(student, rng):
    """Inputs of ±10,000 give finite weights."""
    x = np.stack([1e4 + rng.permutation(5), -1e4 - rng.permutation(5), rng.permutation(5)])
    with np.errstate(all="ignore"):
        naive = np.exp(x) / np.exp(x).sum(axis=-1, keepdims=True)
        padded = np.exp(x) / (np.exp(x).sum(axis=-1, keepdims=True) + 1e-9)
        shifted = np.exp(x - np.abs(x).max(axis=-1, keepdims=True))
        magnitude = shifted / shifted.sum(axis=-1, keepdims=True)
    expect.close(
        student.softmax(x),
        softmax(x),
        atol=1e-5,
        causes={
            MISTAKE.softmax_no_max_shift: naive,
            MISTAKE.softmax_epsilon_hides_zero_sum: padded,
            MISTAKE.softmax_shift_by_magnitude: (magnitude),
            MISTAKE.softmax_clipped: np.full((3, 5), 0.2) * [[1], [1], [0]]
            + softmax(x) * [[0], [0], [1]],
        },
        otherwise="softmax(x + c) equals softmax(x): choose c for every slice",
        read=TRAP,
    )


@exercise("1.1")
def test_rows_far_apart(student, rng):
    """One row near 3,000 and one near 1,000: each row needs its own maximum."""
    # Both rows are positive: a shift by the largest magnitude passes here (see test_large_values).
    x = np.stack([3000.0 + rng.permutation(4), 1000.0 + rng.permutation(4)])
    with np.errstate(all="ignore"):
        shifted = np.exp(x - x.max())
        one_maximum = shifted / shifted.sum(axis=-1, keepdims=True)
    expect.close(
        student.softmax(x),
        softmax(x),
        atol=1e-5,
        causes={
            MISTAKE.softmax_global_maximum: one_maximum,
            "exp overflows in both rows: subtract each row's maximum first": np.full(
                (2, 4), np.nan
            ),
        },
        otherwise="take the maximum along `axis`, with keepdims=True",
        read=TRAP,
    )


@exercise("1.1")
def test_wide_rows(student, rng):
    """Entries of a row lie 1,000 or 3,000 apart: the largest exponent must still be 0."""
    x = rng.permuted([[0.0, 1000.0], [0.0, 3000.0], [800.0, 900.0]], axis=1)

    def shifted_by(shift):
        with np.errstate(all="ignore"):
            e = np.exp(x - shift)
            return e / e.sum(axis=1, keepdims=True)

    expect.close(
        student.softmax(x),
        softmax(x),
        atol=1e-5,
        causes={
            "exp overflows: nothing is subtracted": shifted_by(0.0),
            MISTAKE.softmax_shift_by_mean: shifted_by(x.mean(axis=1, keepdims=True)),
            MISTAKE.softmax_shift_by_minimum: shifted_by(x.min(axis=1, keepdims=True)),
        },
        otherwise="subtract the maximum along `axis`, with keepdims=True",
        read=TRAP,
    )


@exercise("1.1")
def test_integers(student, rng):
    """Integer inputs give floating-point weights."""
    x = rng.integers(-3, 4, size=(3, 5))
    expect.close(
        student.softmax(x),
        softmax(x),
        atol=1e-5,
        causes={MISTAKE.softmax_integer_result: (np.trunc(softmax(x)))},
        otherwise="do not write the result into an array of x's dtype",
        read=TRAP,
    )


@exercise("1.1")
def test_shift_and_order(student, rng):
    """The weights sum to one, keep the order of the inputs and ignore a common shift."""
    x = rng.permutation(24).reshape(4, 6) / 3  # far enough apart for any rounding
    weights = np.asarray(student.softmax(x), dtype=float)
    expect.close(
        weights.sum(axis=-1), np.ones(4), atol=1e-5, what="row sums", read=READ,
        otherwise="divide by the sum of the exponentials",
    )  # fmt: skip
    expect.close(
        student.softmax(x + rng.normal(size=(4, 1))), weights, atol=1e-5, read=TRAP,
        what="weights after shifting every row",
        otherwise="e^(x+c) = e^x · e^c, and e^c cancels in the quotient",
    )  # fmt: skip
    expect.true(
        bool((weights > 0).all() and (weights.argsort() == x.argsort()).all()),
        expected="positive weights in the order of the inputs", got=expect.show(weights),
        otherwise="exp is positive and increasing", read=READ,
    )  # fmt: skip
