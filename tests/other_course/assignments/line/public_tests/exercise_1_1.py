"""The visible checks of exercise 1.1: the line of least squares."""

import numpy as np

from grader.checking import expect
from grader.checking.exercise import exercise


@exercise("1.1")
def test_three_points(student):
    """Three points on a line: slope 2 and intercept 1."""
    found = student.fit_line(np.array([0.0, 1.0, 2.0]), np.array([1.0, 3.0, 5.0]))
    expect.close(
        np.array(expect.parts(found, 2, read="§1")),
        np.array([2.0, 1.0]),
        otherwise="the covariance of x and y over the variance of x",
        read="§1",
    )
