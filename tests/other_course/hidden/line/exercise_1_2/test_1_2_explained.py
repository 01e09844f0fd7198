"""Hidden tests of exercise 1.2: the share of the variance that a line explains."""

import numpy as np
from hidden.line.reference import fit_line

from grader.checking import expect
from grader.checking.exercise import exercise
from grader.checking.known_mistakes import known_mistakes

MISTAKE = known_mistakes(__file__)


@exercise("1.2")
def test_fresh_points(student, rng):
    """Points drawn for this course: between 0 and 1."""
    x = rng.normal(size=15)
    y = 2 * x + rng.normal(size=15) + 3
    slope, intercept = fit_line(x, y)
    left = ((y - slope * x - intercept) ** 2).sum()
    expect.close(
        student.explained(x, y),
        1 - left / ((y - y.mean()) ** 2).sum(),
        atol=1e-8,
        otherwise="one minus the squared residuals over the squared distances from the mean",
        read="§2",
    )
