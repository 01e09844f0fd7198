"""Hidden tests of exercise 1.1: softmax along any axis, finite for every finite input."""

import numpy as np

from grader.checking.question import question

SUMS = "exp of every entry, divided by the sum of exp along `axis`, with keepdims=True"
SHIFT = "softmax(x + c) equals softmax(x): subtract each slice's own maximum"
READ, TRAP = "§3.2.1, Eq. 1", "exercise 1.1, the trap"


@question("1.1", advice=SUMS, read=READ)
def test_contract(its, rng):
    """A new array of the input's shape, for float64 and float32."""
    arrays = [rng.normal(size=(2, 3, 4)).astype(dtype) for dtype in ("float64", "float32")]
    called = {f"softmax of {x.dtype}": its.call(its.softmax, x) for x in arrays}
    changed = [one.changed for one in called.values()]
    return {n: one.value for n, one in called.items()} | {"arguments that it changed": changed}


@question("1.1", advice=SUMS, read=READ)
def test_every_axis(its, rng):
    """The weights sum to one along `axis`."""
    x = rng.normal(size=(3, 4, 5))
    return {f"softmax along axis {axis}": its.softmax(x, axis=axis) for axis in (0, 1, 2, -2)}


@question("1.1", advice=SUMS, read=READ)
def test_square_matrix(its, rng):
    """Every row is divided by its own sum, also in a square matrix and in a single row."""
    shapes = ((4, 4), (1, 4), (3, 1, 2))
    return {f"softmax of shape {shape}": its.softmax(rng.normal(size=shape)) for shape in shapes}


@question("1.1", advice=SHIFT, read=TRAP)
def test_large_values(its, rng):
    """Inputs of ±10,000 give finite weights."""
    three = [rng.permutation(5) for _ in range(3)]
    return its.softmax(np.stack([1e4 + three[0], -1e4 - three[1], three[2]]))


@question("1.1", advice=SHIFT, read=TRAP)
def test_rows_far_apart(its, rng):
    """One row near 3,000 and one near 1,000: each row needs its own maximum."""
    # Both rows are positive: a shift by the largest magnitude passes here (see test_large_values).
    return its.softmax(np.stack([3000.0 + rng.permutation(4), 1000.0 + rng.permutation(4)]))


@question("1.1", advice=SHIFT, read=TRAP)
def test_wide_rows(its, rng):
    """Entries of a row lie 1,000 or 3,000 apart: the largest exponent must still be 0."""
    return its.softmax(rng.permuted([[0.0, 1000.0], [0.0, 3000.0], [800.0, 900.0]], axis=1))


@question("1.1", advice="do not write the result into an array of x's dtype", read=TRAP)
def test_integers(its, rng):
    """Integer inputs give floating-point weights, whatever their type."""
    drawn = rng.integers(-3, 4, size=(3, 5))
    far = np.array([[-100, 100, 27], [5, 80, 127]], np.int8)
    return {f"softmax of {x.dtype}": its.softmax(x) for x in (drawn, far, far.astype(np.uint8))}


@question("1.1", advice=SHIFT, read=TRAP)
def test_shift(its, rng):
    """A common shift of a row changes nothing."""
    x = rng.permutation(24).reshape(4, 6) / 3
    return {"weights": its.softmax(x), "after a shift": its.softmax(x + rng.normal(size=(4, 1)))}
