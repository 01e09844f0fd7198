"""The visible checks of exercise 1.2: what the line explains."""

import numpy as np

from grader.checking.question import question


@question("1.2", advice="residuals of points on the line are 0", read="§2")
def test_points_on_a_line(its):
    """Points on a line: it explains all of their variance; of others, a part."""
    x = np.array([0.0, 1.0, 2.0])
    on, beside = np.array([1.0, 3.0, 5.0]), np.array([2.0, 1.0, 3.0])
    return {"on a line": its.explained(x, on), "beside one": its.explained(x, beside)}
