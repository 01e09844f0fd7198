"""Hidden tests of exercise 1.1: softmax along any axis, finite for every finite input."""

import numpy as np

from grader.checking.question import question

SUMS = "exp of every entry, divided by the sum of exp along `axis`, with keepdims=True"
SHIFT = "softmax(x + c) equals softmax(x): subtract each slice's own maximum"
READ, TRAP = "§3.2.1, Eq. 1", "exercise 1.1, the trap"


@question("1.1", weight=2, advice=SUMS, read=READ)
def test_contract(its, rng):
    """A new array of the input's shape, for float64 and float32, also where a size is 1."""
    drawn = [rng.normal(size=(2, 3, 4)), rng.normal(size=(3, 1, 2)).astype("float32")]
    called = {f"softmax of {x.dtype}": its.call(its.softmax, x) for x in drawn}
    changed = [one.changed for one in called.values()]
    return {n: one.value for n, one in called.items()} | {"arguments that it changed": changed}


@question("1.1", weight=3, advice=SUMS, read=READ)
def test_every_axis(its, rng):
    """The weights sum to one along `axis`, by default the last; a square matrix has both."""
    x, square = rng.normal(size=(3, 4, 5)), rng.normal(size=(4, 4))
    found = {f"softmax along axis {axis}": its.softmax(x, axis=axis) for axis in (0, 1, 2, -2)}
    return found | {"softmax": its.softmax(x), "of a square matrix": its.softmax(square)}


@question("1.1", weight=3, advice=SHIFT, read=TRAP)
def test_large_values(its, rng):
    """Inputs of ±10,000, rows far apart and entries far apart give finite weights."""
    arrays = {
        "rows of ±10,000 and 0": [[1e4], [-1e4], [0]] + rng.permuted([range(5)] * 3, axis=1),
        "rows of 3,000 and 1,000": [[3000], [1000]] + rng.permuted([range(4)] * 2, axis=1),
        "entries 1,000 and 3,000 apart": rng.permuted([[0.0, 1e3], [0, 3e3], [800, 900]], axis=1),
    }
    return {f"softmax of {name}": its.softmax(x) for name, x in arrays.items()}


@question("1.1", advice="do not write the result into an array of x's dtype", read=TRAP)
def test_integers(its, rng):
    """Integer inputs give floating-point weights, whatever their type."""
    drawn = rng.integers(-3, 4, size=(3, 5))
    far = np.array([[-100, 100, 27], [5, 80, 127]], np.int8)
    return {f"softmax of {x.dtype}": its.softmax(x) for x in (drawn, far, far.astype(np.uint8))}
