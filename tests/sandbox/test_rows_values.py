"""Submissions that tamper with comparisons and messages: rows 9 to 15 and 25 to 27.

Every one of them answers zeros where a softmax is asked for, and every one fails.
"""

import numpy as np
import pytest

from grader.checking import expect
from grader.seam import StudentError

X = np.array([[1.0, 2.0, 4.0]])
WANT = np.exp(X - 4) / np.exp(X - 4).sum()


@pytest.mark.parametrize(
    "name",
    [
        "09_patches_allclose",
        "10_patches_builtins",
        "11_input_transformers",
        "12_forged_kernel_messages",
        "13_patched_traceback",
        "14_equal_to_everything",
        "15_array_subclass",
        "15_tensor_subclass",
        "25_forges_stdout",
        "26_forges_protocol",
        "27_floods_protocol",
    ],
)
def test_a_wrong_answer_stays_wrong(submit, name):
    student = submit(name)
    student.begin()
    with pytest.raises((expect.Failure, StudentError)):
        expect.close(student.softmax(X), WANT)


@pytest.mark.parametrize(
    ("name", "kind"), [("15_array_subclass", np.ndarray), ("15_tensor_subclass", None)]
)
def test_subclasses_are_rebuilt_as_plain_arrays(submit, name, kind):
    import torch

    student = submit(name)
    student.begin()
    assert type(student.softmax(X)) is (kind or torch.Tensor)


@pytest.mark.parametrize("name", ["26_forges_protocol", "27_floods_protocol"])
def test_a_forged_answer_does_not_reach_the_next_test(submit, name):
    student = submit(name)
    for _ in range(2):
        student.begin()
        with pytest.raises((expect.Failure, StudentError)):
            expect.close(student.softmax(X), WANT)
        student.begin()
        expect.close(student.scaled_scores(X, 2 * X), X @ (2 * X).T / np.sqrt(3))


def test_a_flood_of_the_protocol_is_a_crash(submit):
    student = submit("27_floods_protocol")
    student.begin()
    with pytest.raises(StudentError) as caught:
        student.softmax(X)
    assert caught.value.kind == "CRASHED"
