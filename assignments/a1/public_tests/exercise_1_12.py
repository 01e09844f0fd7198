"""The visible checks of exercise 1.12: the backward pass of attention."""

import math

import numpy as np

from grader.checking import expect
from grader.checking.exercise import exercise

# Expectations are set like tables: value, causes, hint, section.
# fmt: off


@exercise("1.12")
def test_finite_differences(student):
    """Three gradients of a 2 × 3 example match precomputed central differences."""
    query, key = np.array([[1.0, 2.0], [0.0, -1.0]]), np.array([[1.0, 0.0], [0.0, 1.0], [1.0, 1.0]])
    value = np.array([[1.0, 0.0], [0.0, 2.0], [1.0, 1.0]])
    got = expect.parts(
        student.attention_backward(np.array([[1.0, 0.0], [2.0, -1.0]]), query, key, value), 3,
        otherwise="return the gradients of query, key and value",
    )
    grad_query = np.array([[0.143785, -0.028120], [0.484274, -0.441920]])
    grad_key = np.array([[0.028120, -0.385680], [-0.143785, 0.196705], [0.115665, 0.188975]])
    grad_value = np.array([[1.147009, -0.503490], [0.780506, -0.248255], [1.072486, -0.248255]])
    unscaled = "the factor 1/√d_k of the scores is missing"
    own_only = "a score also lowers the other weights of its row: subtract the row's weighted sum"
    expect.close(
        got[2], grad_value, atol=1e-5, what="the gradient of value", read="§3.2.1, Eq. 1",
        otherwise="output = weights @ value: how does the output change with one value?",
    )
    expect.close(
        got[0], grad_query, atol=1e-5, what="the gradient of query", read="§3.2.1, Eq. 1",
        otherwise="go backwards step by step: output, weights, softmax, scores, query",
    )
    expect.close(
        got[1], grad_key, atol=1e-5, what="the gradient of key", read="§3.2.1, Eq. 1",
        otherwise="every query uses every key: sum over the queries, with the transposed gradient",
    )


@exercise("1.12")
def test_masks_and_batches(student):
    """A query without keys and a fully masked key get zero gradient; a batch equals its rows."""
    rng = np.random.default_rng(0)
    grad_output, query, key, value = (rng.normal(size=(2, 3, 2)) for _ in range(4))
    mask = np.array([[True, True, False], [False, False, False], [True, True, False]])
    together = expect.parts(
        student.attention_backward(grad_output, query, key, value, mask), 3,
        otherwise="return the gradients of query, key and value",
    )
    for name, got, place in zip(("query", "key", "value"), together, (1, 2, 2), strict=True):
        expect.shape(got, (2, 3, 2), what=f"the gradient of {name}")
        expect.close(
            np.asarray(got)[:, place], np.zeros((2, 2)), atol=1e-5, read="exercise 1.12",
            what=f"the gradient of {name} {place}, which is fully masked",
            otherwise="the weights of masked pairs are zero, also in a row without any key",
        )
    for i in range(2):
        alone = expect.parts(
            student.attention_backward(grad_output[i], query[i], key[i], value[i], mask), 3
        )
        for name, one, got in zip(("query", "key", "value"), alone, together, strict=True):
            expect.close(np.asarray(got)[i], one, atol=1e-5, read="exercise 1.12",
                         what=f"the gradient of {name} of sequence {i} of the batch",
                         otherwise="swap the last two axes only, and sum along axes from the end")
