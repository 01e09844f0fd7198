"""The visible checks of exercise 1.3: scaled scores."""

import numpy as np

from grader.checking import expect
from grader.checking.exercise import exercise

# Expectations are set like tables: value, causes, hint, section.
# fmt: off


@exercise("1.3")
def test_two_by_two(student):
    """Two queries and two keys of width 4: four scores."""
    query = np.array([[1.0, 2.0, 0.0, 1.0], [0.0, 1.0, 3.0, -1.0]])
    key = np.array([[2.0, 0.0, 1.0, 2.0], [1.0, 1.0, 1.0, 1.0]])
    dots = np.array([[4.0, 4.0], [1.0, 3.0]])
    scores = student.scaled_scores(query, key)
    expect.close(
        scores, dots / 2,
        otherwise="multiply the queries by the transposed keys, then divide by √d_k",
        read="§3.2.1, Eq. 1",
    )


@exercise("1.3")
def test_a_batch(student):
    """Two sequences at once: each scores only its own keys."""
    # One query, four keys of width four: untransposed keys fit, and all axes reversed do not.
    query = np.array([[[1.0, 0.0, 0.0, 0.0]], [[2.0, 2.0, 0.0, 0.0]]])
    key = np.stack([np.arange(16.0).reshape(4, 4), np.eye(4)])
    reversed_axes = "`.T` reverses all axes, including the batch: swap only the last two"
    scores = student.scaled_scores(query, key)
    expect.close(
        scores, [[[0.0, 2.0, 4.0, 6.0]], [[1.0, 1.0, 0.0, 0.0]]],
        otherwise="transpose only the last two axes of the keys (`.T` reverses all of them)",
        read="exercise 1.3",
    )
