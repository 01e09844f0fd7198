"""The visible checks of exercise 1.2: query, key and value projections."""

import numpy as np

from grader.checking import expect
from grader.checking.exercise import exercise

# Expectations are set like tables: value, causes, hint, section.
# fmt: off

X = np.array([[1, 0, 0], [0, 2, 1], [0, 0, 2], [1, 0, 0], [0, 2, 0]], dtype=float)
W_Q = np.array([[0, 1, 0], [1, 0, 0], [0, 1, 0]], dtype=float)
W_K = np.array([[0, 0, 1], [0, 1, 0], [1, 0, 0]], dtype=float)
W_V = np.array([[1, 0], [0, 1], [1, 1]], dtype=float)
QUERY = np.array([[0, 1, 0], [2, 1, 0], [0, 2, 0], [0, 1, 0], [2, 0, 0]], dtype=float)
KEY = np.array([[0, 0, 1], [1, 2, 0], [2, 0, 0], [0, 0, 1], [0, 2, 0]], dtype=float)
VALUE = np.array([[1, 0], [1, 3], [2, 2], [1, 0], [0, 2]], dtype=float)


def _transposed(x, *weights):
    return {
        f"the weight is transposed: {name} is (d_model, width), so x @ {name}":
            lambda weight=weight: x @ weight.T
        for name, weight in zip(("w_q", "w_k", "w_v"), weights, strict=True)
    }


@exercise("1.2")
def test_shapes_of_five_tokens(student, rng):
    """Five tokens of width 512 give 5 × 64 queries, 5 × 64 keys and 5 × 32 values."""
    x, w_q, w_k, w_v = (rng.normal(size=s) for s in [(5, 512), (512, 64), (512, 64), (512, 32)])
    projected = student.project_qkv(x, w_q, w_k, w_v)
    projected = expect.parts(projected, 3, otherwise="return query, key, value")
    for name, got, width in zip(("query", "key", "value"), projected, (64, 64, 32), strict=True):
        expect.shape(got, (5, width), what=f"the {name}", read="§3.2.2",
                     otherwise=f"the {name} is x times its own weight, (5, 512) @ (512, {width})"
                     )


@exercise("1.2")
def test_worked_projections(student):
    """Queries, keys and values of the worked 5 × 3 example."""
    projected = student.project_qkv(X, W_Q, W_K, W_V)
    projected = expect.parts(projected, 3, otherwise="return query, key, value")
    query, key, value = projected
    expect.close(
        query, QUERY, what="query", read="§3.2.2", otherwise="the query is x @ w_q",
    )
    expect.close(
        key, KEY, what="key", read="§3.2.2", otherwise="the key is x @ w_k",
    )
    expect.close(
        value, VALUE, what="value", read="§3.2.2", otherwise="the value is x @ w_v",
    )


@exercise("1.2")
def test_a_batch_stays_a_batch(student):
    """Two sequences in a batch keep their axis."""
    batch = np.stack([X, 2 * X])
    projected = expect.parts(
        student.project_qkv(batch, W_Q, W_K, W_V), 3, otherwise="return query, key, value"
    )
    for name, got, want in zip(("query", "key", "value"), projected, (QUERY, KEY, VALUE),
                               strict=True):
        expect.close(
            got, np.stack([want, 2 * want]), what=f"{name} of a batch of two", read="exercise 1.2",
            otherwise="matmul leaves leading axes alone: x @ w",
        )
