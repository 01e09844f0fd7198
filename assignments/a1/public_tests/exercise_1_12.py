"""The visible checks of exercise 1.12: the backward pass of attention."""

import numpy as np

from grader.checking.question import question

QUERY, KEY = np.array([[1.0, 2.0], [0.0, -1.0]]), np.array([[1.0, 0.0], [0.0, 1.0], [1.0, 1.0]])
VALUE = np.array([[1.0, 0.0], [0.0, 2.0], [1.0, 1.0]])
GIVEN = np.array([[1.0, 0.0], [2.0, -1.0]])  # the gradient of the output
BACK = "go backwards step by step: output, weights, softmax, scores"
MASKED = "the weights of masked pairs are zero, and axes are counted from the end"


def _named(gradients):
    grad_query, grad_key, grad_value = gradients
    return {"gradient of value": grad_value, "of query": grad_query, "of key": grad_key}


@question("1.12", weight=2, advice=BACK, read="§3.2.1, Eq. 1")
def test_finite_differences(its):
    """Three gradients of a 2 × 3 example."""
    return _named(its.attention_backward(GIVEN, QUERY, KEY, VALUE))


@question("1.12", advice=MASKED, read="exercise 1.12")
def test_masks_and_batches(its):
    """A query without keys and a fully masked key get zero gradient; a batch has its own rows."""
    batch = [np.stack([array, array[::-1] / 2]) for array in (GIVEN, QUERY, KEY, VALUE)]
    mask = np.array([[False, False, False], [True, True, False]])
    return _named(its.attention_backward(*batch, mask))
