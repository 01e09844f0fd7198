"""The visible checks of exercise 1.3: scaled scores."""

import numpy as np

from grader.checking.question import question

ADVICE = "multiply the queries by the transposed keys, then divide by √d_k"
SWAP = "transpose only the last two axes of the keys (`.T` reverses all of them)"


@question("1.3", advice=ADVICE, read="§3.2.1, Eq. 1")
def test_two_by_two(its):
    """Two queries and two keys of width 4 and of width 2: four scores each."""
    query = np.array([[1.0, 2.0, 0.0, 1.0], [0.0, 1.0, 3.0, -1.0]])
    key = np.array([[2.0, 0.0, 1.0, 2.0], [1.0, 1.0, 1.0, 1.0]])
    return {
        f"scores of width {width}": its.scaled_scores(query[:, :width], key[:, :width])
        for width in (4, 2)
    }


@question("1.3", advice=SWAP, read="exercise 1.3")
def test_a_batch(its):
    """Two sequences at once, with three axes and with four: each scores only its own keys."""
    # One query, four keys of width four: untransposed keys fit, and all axes reversed do not.
    query = np.array([[[1.0, 0.0, 0.0, 0.0]], [[2.0, 2.0, 0.0, 0.0]]])
    key = np.stack([np.arange(16.0).reshape(4, 4), np.eye(4)])
    return its.scaled_scores(query, key), its.scaled_scores(query[None], key[None])
