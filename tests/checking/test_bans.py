"""What a ban costs, what is said of it, and whom it must not touch."""

import re

import proofs

from grader.seam.errors import POLICY

SOFTMAX = "course_lib.numpy_forms.attention:softmax"
ATTENTION = "course_lib.numpy_forms.attention:attention"
BORROWED = """
from scipy.special import softmax as borrowed

def softmax(x, axis=-1):
    return borrowed(x, axis=axis)
"""
BORROWED_WITHOUT_A_MASK = """
import numpy as np
import scipy.special

def attention(query, key, value, mask=None):
    if query.shape[-1] != key.shape[-1] or key.shape[-2] != value.shape[-2]:
        raise ValueError(f"shapes {query.shape}, {key.shape} and {value.shape} do not fit")
    scores = query @ np.swapaxes(key, -1, -2) / np.sqrt(query.shape[-1])
    if mask is None:
        weights = scipy.special.softmax(scores, axis=-1)
    else:
        largest = np.max(np.where(mask, scores, -np.inf), axis=-1, keepdims=True)
        shifted = np.where(mask, scores - np.where(np.isfinite(largest), largest, 0.0), -np.inf)
        weights = np.exp(shifted)
        total = weights.sum(axis=-1, keepdims=True)
        weights = weights / np.where(total == 0, 1.0, total)
    return weights @ value, weights
"""


def test_the_message_says_what_was_used_where_and_what_is_allowed():
    data = proofs.notebook("a1", "solution", {SOFTMAX: BORROWED})
    tests = [test for test in proofs.graded(data, "a1", only=["1.1"]).tests if test.message]
    assert {test.outcome for test in tests} == {POLICY}
    message = tests[0].message
    assert message.expected == "your own code, with `np.exp`, `np.max` and sums"
    assert re.fullmatch(r"a use of `scipy\.special\.softmax` in cell \d+, line 4", message.got)
    assert message.cause == "exercise 1.1 does not allow it, whatever name it is called by"
    assert message.seen


def test_only_the_tests_that_run_it_lose_their_points():
    data = proofs.notebook("a1", "solution", {ATTENTION: BORROWED_WITHOUT_A_MASK})
    result = proofs.graded(data, "a1")
    code = {exercise.id: exercise for exercise in result.exercises if exercise.tests}
    lost = [test for exercise in code.values() for test in exercise.tests if not test.points]
    assert {test.outcome for test in lost} == {POLICY}
    assert 0 < code.pop("1.4").points < 18
    assert {id: e.points for id, e in code.items()} == {id: e.max_points for id, e in code.items()}
