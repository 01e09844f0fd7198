"""The visible checks of exercise 1.1: softmax."""

import numpy as np

from grader.checking.question import question

SUMS = "exponentiate every entry, then divide by the sum along `axis`, with keepdims=True"
SHIFT = "softmax(x + c) equals softmax(x): which c keeps every exponent at or below 0?"
READ, TRAP = "§3.2.1, Eq. 1", "exercise 1.1, the trap"


@question("1.1", advice=SUMS, read=READ)
def test_three_values(its):
    """Three values: softmax of ln 1, ln 2, ln 3 is 1/6, 2/6, 3/6."""
    return its.softmax(np.log([1.0, 2.0, 3.0]))


@question("1.1", advice=SHIFT, read=TRAP)
def test_shift(its):
    """Shifting all inputs by 1000 or −1000 does not change the weights."""
    x = np.array([0.0, 1.0, 2.0])
    return {f"softmax of {x + shift}": its.softmax(x + shift) for shift in (1000, -1000)}


@question("1.1", advice=SUMS, read=READ)
def test_default_axis(its):
    """Without `axis`, every row of a matrix is its own distribution, also a single one."""
    x = np.log([[1.0, 3.0], [1.0, 1.0]])
    return {"softmax of two rows": its.softmax(x), "of one row": its.softmax(x[:1])}


@question("1.1", advice=SUMS, read=READ)
def test_first_axis(its):
    """With `axis=0`, every column is its own distribution."""
    return its.softmax(np.log([[1.0, 3.0], [1.0, 1.0]]), axis=0)


@question("1.1", advice=SHIFT, read=TRAP)
def test_rows_of_different_height(its):
    """One row near 0 and one near 1000: both are distributions."""
    return its.softmax(np.array([[0.0, 0.0], [1000.0, 1000.0]]))


@question("1.1", advice=SHIFT, read=TRAP)
def test_wide_row(its):
    """Two entries of a row lie 2000 apart: the weights are 0 and 1."""
    return its.softmax(np.array([0.0, 2000.0]))


@question("1.1", advice="do not write the result into an array of x's dtype", read="exercise 1.1")
def test_integers(its):
    """Integer inputs give floating-point weights, whatever their type."""
    x = np.array([[7, 7], [-100, 100]])
    return {f"softmax of {kind}": its.softmax(x.astype(kind)) for kind in ("int64", "int8")}


@question("1.1", beside=["test_three_values", "test_shift", "test_default_axis"])
def test_argument_stays(its):
    """The caller's array is left unchanged."""
    call = its.call(its.softmax, np.array([[1.0, 2.0], [3.0, 5.0]]))
    return {"arguments that it changed": call.changed, "shape": np.shape(call.value)}
