"""The visible checks of exercise 1.2: query, key and value projections."""

import numpy as np

from grader.checking.question import question

NAMES = ("query", "key", "value")
X = np.array([[1.0, 0, 0], [0, 2, 1], [0, 0, 2], [1, 0, 0], [0, 2, 0]])  # the worked example's
W_Q = np.array([[0.0, 1, 0], [1, 0, 0], [0, 1, 0]])
W_K = np.array([[0.0, 0, 1], [0, 1, 0], [1, 0, 0]])
W_V = np.array([[1.0, 0], [0, 1], [1, 1]])


@question("1.2", advice="query, key and value are x @ w_q, x @ w_k and x @ w_v", read="§3.2.2")
def test_worked_projections(its):
    """Queries, keys and values of the worked 5 × 3 example."""
    return dict(zip(NAMES, its.project_qkv(X, W_Q, W_K, W_V), strict=True))


@question("1.2", advice="matmul leaves leading axes alone: x @ w", read="exercise 1.2")
def test_a_batch_stays_a_batch(its):
    """Two sequences in a batch keep their axis."""
    return dict(zip(NAMES, its.project_qkv(np.stack([X, 2 * X]), W_Q, W_K, W_V), strict=True))
