"""The visible checks of exercise 1.1: softmax."""

import numpy as np

from grader.checking import expect
from grader.checking.exercise import exercise

# Expectations are set like tables: value, causes, hint, section.
# fmt: off


@exercise("1.1")
def test_three_values(student):
    """Three values: softmax of ln 1, ln 2, ln 3 is 1/6, 2/6, 3/6."""
    expect.close(
        student.softmax(np.log([1.0, 2.0, 3.0])), np.array([1, 2, 3]) / 6,
        causes={"the exponentials are not divided by their sum": [1.0, 2.0, 3.0],
                "the inputs are divided by their sum without the exponential":
                    np.log([1, 2, 3]) / np.log(6)},
        otherwise="exponentiate every entry, then divide by the sum of the exponentials",
        read="§3.2.1, Eq. 1",
    )


@exercise("1.1")
def test_shift(student):
    """Shifting all inputs by 1000 does not change the weights."""
    e = np.exp([0.0, 1.0, 2.0])
    expect.close(
        student.softmax(np.array([1000.0, 1001.0, 1002.0])), e / e.sum(),
        causes={"exp(1000) overflows to ∞, and ∞/∞ is NaN: subtract the maximum first":
                    [np.nan] * 3},
        otherwise="softmax(x + c) equals softmax(x): which c keeps every exponent at or below 0?",
        read="exercise 1.1, the trap",
    )


@exercise("1.1")
def test_default_axis(student):
    """Without `axis`, every row of a matrix is its own distribution."""
    x = np.log([[1.0, 3.0], [1.0, 1.0]])
    expect.close(
        student.softmax(x), [[1 / 4, 3 / 4], [1 / 2, 1 / 2]],
        causes={"summed over the columns: the default axis is the last one":
                    [[1 / 2, 3 / 4], [1 / 2, 1 / 4]],
                "summed over all entries: the sum needs `axis`": [[1 / 6, 3 / 6], [1 / 6, 1 / 6]]},
        otherwise="sum along `axis`, with keepdims=True so that the division lines up",
        read="§3.2.1, Eq. 1",
    )


@exercise("1.1")
def test_first_axis(student):
    """With `axis=0`, every column is its own distribution."""
    x = np.log([[1.0, 3.0], [1.0, 1.0]])
    expect.close(
        student.softmax(x, axis=0), [[1 / 2, 3 / 4], [1 / 2, 1 / 4]],
        causes={"the rows sum to one, whatever `axis` says": [[1 / 4, 3 / 4], [1 / 2, 1 / 2]],
                "summed over all entries: the sum needs `axis`": [[1 / 6, 3 / 6], [1 / 6, 1 / 6]]},
        otherwise="both the maximum and the sum run along `axis`", read="§3.2.1, Eq. 1",
    )


@exercise("1.1")
def test_rows_of_different_height(student):
    """One row near 0 and one near 1000: both are distributions."""
    expect.close(
        student.softmax(np.array([[0.0, 0.0], [1000.0, 1000.0]])), np.full((2, 2), 0.5),
        causes={"one maximum for the whole array: e^-1000 is 0, and 0/0 is NaN":
                    [[np.nan, np.nan], [0.5, 0.5]],
                "exp(1000) overflows: subtract each row's maximum first":
                    [[0.5, 0.5], [np.nan, np.nan]]},
        otherwise="take the maximum along `axis`, with keepdims=True",
        read="exercise 1.1, the trap",
    )


@exercise("1.1")
def test_wide_row(student):
    """Two entries of a row lie 2000 apart: the weights are 0 and 1."""
    expect.close(
        student.softmax(np.array([0.0, 2000.0])), [0.0, 1.0],
        causes={"exp still overflows: which value must become 0?": [0.0, np.nan]},
        otherwise="softmax(x + c) equals softmax(x): which c keeps every exponent at or below 0?",
        read="exercise 1.1, the trap",
    )


@exercise("1.1")
def test_integers(student):
    """Integer inputs give floating-point weights."""
    expect.close(
        student.softmax(np.array([[7, 7], [-1, -1]])), np.full((2, 2), 0.5),
        causes={"the weights are truncated to integers: the result is stored in x's dtype":
                    np.zeros((2, 2))},
        otherwise="do not write the result into an array of x's dtype", read="exercise 1.1",
    )


@exercise("1.1", beside=["test_three_values", "test_shift", "test_default_axis"])
def test_argument_stays(student):
    """The caller's array is left unchanged."""
    call = student.call(student.softmax, np.array([[1.0, 2.0], [3.0, 5.0]]))
    expect.unchanged(call.changed)
    expect.shape(call.value, (2, 2), what="the weights")
