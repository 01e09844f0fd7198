"""Hidden tests of exercise 1.1: the line of least squares."""

import numpy as np

from grader.checking import expect
from grader.checking.exercise import exercise
from grader.checking.known_mistakes import known_mistakes

MISTAKE = known_mistakes(__file__)


@exercise("1.1")
def test_fresh_points(student, rng):
    """Points drawn for this course: slope and intercept."""
    x, y = rng.normal(size=12), rng.normal(size=12)
    dx, dy = x - x.mean(), y - y.mean()
    slope = (dx * dy).sum() / (dx**2).sum()
    swapped = (dx * dy).sum() / (dy**2).sum()
    expect.close(
        np.array(expect.parts(student.fit_line(x, y), 2, read="§1")),
        np.array([slope, y.mean() - slope * x.mean()]),
        atol=1e-8,
        otherwise="the covariance of x and y over the variance of x",
        read="§1",
    )
