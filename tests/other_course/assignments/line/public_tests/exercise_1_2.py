"""The visible checks of exercise 1.2: what the line explains."""

import numpy as np

from grader.checking import expect
from grader.checking.exercise import exercise


@exercise("1.2")
def test_points_on_a_line(student):
    """Points on a line: it explains all of their variance."""
    expect.close(
        student.explained(np.array([0.0, 1.0, 2.0]), np.array([1.0, 3.0, 5.0])),
        1.0,
        otherwise="residuals of points on the line are 0",
        read="§2",
    )
