"""The visible checks of exercise 1.1: the line of least squares."""

import numpy as np

from grader.checking.question import question


@question("1.1", advice="the covariance of x and y over the variance of x", read="§1")
def test_three_points(its):
    """Three points on a line: slope 2 and intercept 1."""
    slope, intercept = its.fit_line(np.array([0.0, 1.0, 2.0]), np.array([1.0, 3.0, 5.0]))
    return {"slope": slope, "intercept": intercept}
