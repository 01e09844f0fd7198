"""The visible checks of exercise 1.4: scaled dot-product attention."""

import math

import numpy as np

from grader.checking import expect
from grader.checking.exercise import exercise

# Expectations are set like tables: value, causes, hint, section.
# fmt: off

QUERY = np.array([[0, 1, 0], [2, 1, 0], [0, 2, 0], [0, 1, 0], [2, 0, 0]], dtype=float)
KEY = np.array([[0, 0, 1], [1, 2, 0], [2, 0, 0], [0, 0, 1], [0, 2, 0]], dtype=float)
VALUE = np.array([[1, 0], [1, 3], [2, 2], [1, 0], [0, 2]], dtype=float)
A = math.exp(2 / math.sqrt(3))  # a score of 2 and one of 4, after the division and the exponential
B = A * A
NUMERATORS = np.array([[1, A, 1, 1, A], [1, B, B, 1, A], [1, B, 1, 1, B], [1, A, 1, 1, A],
                       [1, A, B, 1, 1]])
WORKED_WEIGHTS = NUMERATORS / NUMERATORS.sum(axis=1, keepdims=True)


def _attend(student, *args):
    return expect.parts(
        student.attention(*args), 2, otherwise="return the output and the weights, in this order"
    )


@exercise("1.4")
def test_worked_example(student):
    """Weights and output of the worked 5 × 3 example."""
    output, weights = _attend(student, QUERY, KEY, VALUE)
    dots = QUERY @ KEY.T
    columns, unscaled = np.exp(dots / math.sqrt(3)), np.exp(dots)
    expect.close(
        weights, WORKED_WEIGHTS, what="weights", read="§3.2.1, Eq. 1; the worked example",
        otherwise="compare with the table of the worked example, row by row",
    )
    expect.close(
        output, WORKED_WEIGHTS @ VALUE, what="output", read="§3.2.1, Eq. 1; the worked example",
        otherwise="the weights are correct: output = weights @ value",
    )


@exercise("1.4")
def test_row_sums(student, rng):
    """The weights of every query sum to one."""
    _, weights = _attend(
        student, rng.normal(size=(3, 4)), rng.normal(size=(6, 4)), rng.normal(size=(6, 2))
    )
    expect.shape(weights, (3, 6), what="weights", otherwise="one row per query, one column per key")
    expect.close(
        np.asarray(weights).sum(axis=-1), np.ones(3), what="row sums",
        otherwise="the softmax runs over the keys, the last axis", read="§3.2.1",
    )


@exercise("1.4")
def test_mask_convention(student):
    """In a mask, True means "may attend"; the remaining weights sum to one."""
    query, key = np.zeros((2, 3)), np.ones((3, 3))  # all scores are equal
    value = np.array([[1.0], [2.0], [6.0]])
    mask = np.array([[True, True, False], [False, True, False]])
    output, weights = _attend(student, query, key, value, mask)
    third = 1 / 3
    expect.close(
        weights, [[0.5, 0.5, 0], [0, 1, 0]], what="weights", read="§3.2.3, last item",
        otherwise="set masked scores to a large negative number before the softmax",
    )
    expect.close(
        output, [[1.5], [2.0]], what="output",
        otherwise="output = weights @ value, with the masked weights",
    )


@exercise("1.4")
def test_a_mask_for_a_batch(student):
    """A mask with one row applies to every query of every sequence."""
    query, key = np.zeros((2, 2, 3)), np.ones((2, 3, 3))
    value = np.array([[[1.0], [2.0], [6.0]], [[3.0], [5.0], [9.0]]])
    mask = np.array([True, True, False])
    by_index = {"`scores[~mask] = …` needs a mask of the scores' shape; np.where broadcasts":
                lambda: np.zeros((2, 2, 3))[~mask]}
    got = student.attention(query, key, value, mask)
    output, weights = expect.parts(got, 2, otherwise="return the output and the weights")
    expect.close(
        weights, np.tile([0.5, 0.5, 0.0], (2, 2, 1)), what="weights of a batch",
        otherwise="let the mask broadcast to (*batch, n_q, n_k)",
        read="exercise 1.4, what is pinned",
    )
    expect.close(output, [[[1.5], [1.5]], [[4.0], [4.0]]], what="output of a batch",
                 otherwise="weight each sequence's own values")


@exercise("1.4")
def test_a_query_without_keys(student):
    """A query whose keys are all masked gets zero weights and a zero output."""
    query, key, value = np.zeros((2, 3)), np.ones((3, 3)), np.array([[1.0], [2.0], [6.0]])
    mask = np.array([[False, False, False], [True, True, False]])
    output, weights = _attend(student, query, key, value, mask)
    expect.close(
        weights, [[0, 0, 0], [0.5, 0.5, 0]], what="weights", read="exercise 1.4, the traps",
        otherwise="also set masked weights to zero after the softmax",
    )
    expect.close(
        output, [[0.0], [1.5]], what="output", read="exercise 1.4, the traps",
        otherwise="zero weights times the values give a zero output",
    )


@exercise("1.4", beside=["test_worked_example", "test_row_sums", "test_mask_convention"])
def test_wrong_widths(student):
    """Incompatible shapes raise a ValueError that names both."""
    for first, second, shapes in (
        ("query", "key", [(3, 4), (5, 6), (5, 2)]), ("key", "value", [(3, 4), (5, 4), (7, 2)]),
    ):
        wrong = shapes[:2] if first == "query" else shapes[1:]
        expect.raises(
            lambda shapes=shapes: student.attention(*map(np.zeros, shapes)),
            "ValueError", mentions=[str(shape) for shape in wrong],
            because=f"{first} and {second} have incompatible shapes, and no error is raised",
            otherwise="call `_check_shapes(query, key, value)` first",
            read="exercise 1.4, what is pinned",
        )


@exercise("1.4", beside=["test_worked_example", "test_row_sums", "test_mask_convention"])
def test_no_loop(student, rng):
    """As many Python instructions for 40 tokens as for 10."""
    steps = [
        student.count_steps(student.attention, *rng.normal(size=(3, n, 4))) for n in (10, 40)
    ]
    expect.below(
        steps[1] - steps[0], 29, expected="as many instructions for 40 tokens as for 10",
        got=f"{steps[1]} instead of {steps[0]}", read="exercise 1.4, what is pinned",
        because="a Python loop over the tokens: matmul and np.where handle all of them at once",
    )
