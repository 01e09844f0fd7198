"""Hidden tests of exercise 1.1: softmax along any axis, finite for every finite input."""

import numpy as np

from grader.checking.question import question

SUMS = "exp of every entry, divided by the sum of exp along `axis`, with keepdims=True"
SHIFT = "softmax(x + c) equals softmax(x): subtract each slice's own maximum"
READ, TRAP = "§3.2.1, Eq. 1", "exercise 1.1, the trap"


@question("1.1", weight=3, advice=SUMS, read=READ)
def test_every_axis(its, rng):
    """The weights sum to one along `axis`, by default the last; a square matrix has both."""
    x, square = rng.normal(size=(3, 4, 5)), rng.normal(size=(4, 4))
    found = {f"softmax along axis {axis}": its.softmax(x, axis=axis) for axis in (0, 1, 2, -2)}
    arrays = {"": x, " of float32": rng.normal(size=(3, 1, 2)).astype("float32"), "(n, n)": square}
    return found | {f"softmax{name}": its.softmax(one) for name, one in arrays.items()}


@question("1.1", weight=3, advice=SHIFT, read=TRAP)
def test_large_values(its, rng):
    """Inputs of ±10,000, rows far apart and entries far apart give finite weights."""
    rows = [[1e4], [-1e4], [0]] + rng.permuted([range(5)] * 3, axis=1)
    entries = rng.permuted([[0.0, 1e3], [0, 3e3], [800, 900]], axis=1)
    return {"softmax of rows": its.softmax(rows), "of entries far apart": its.softmax(entries)}


@question("1.1", weight=2, advice="do not write the result into an array of x's dtype", read=TRAP)
def test_integers(its, rng):
    """Integer inputs give floating-point weights, whatever their type."""
    far = np.array([[-100, 100, 27], [5, 80, 127]], np.int8)
    arrays = (rng.integers(-3, 4, size=(3, 5)), far, far.astype(np.uint8))
    return {f"softmax of {x.dtype}": its.softmax(x) for x in arrays}
