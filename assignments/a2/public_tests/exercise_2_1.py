"""The visible checks of exercise 2.1: attention on tensors."""

import math

import torch

from grader.checking import expect
from grader.checking.exercise import exercise

# Expectations are set like tables: value, causes, hint, section.
# fmt: off

# The worked example of assignment 1: five tokens, d_k = 3, d_v = 2.
QUERY = torch.tensor([[0, 1, 0], [2, 1, 0], [0, 2, 0], [0, 1, 0], [2, 0, 0]]).float()
KEY = torch.tensor([[0, 0, 1], [1, 2, 0], [2, 0, 0], [0, 0, 1], [0, 2, 0]]).float()
VALUE = torch.tensor([[1, 0], [1, 3], [2, 2], [1, 0], [0, 2]]).float()
A = math.exp(2 / math.sqrt(3))  # a score of 2 and one of 4, after division and exponential
B = A * A
NUMERATORS = torch.tensor([[1, A, 1, 1, A], [1, B, B, 1, A], [1, B, 1, 1, B], [1, A, 1, 1, A],
                           [1, A, B, 1, 1]])
WORKED = NUMERATORS / NUMERATORS.sum(dim=-1, keepdim=True)
CAUSAL = torch.ones(5, 5, dtype=torch.bool).tril()


def draw(seed, *shape):
    return torch.randn(shape, generator=torch.Generator().manual_seed(seed))


@exercise("2.1")
def test_agrees_with_assignment_1(student):
    """The worked example of assignment 1 gives the same weights and output."""
    dots = QUERY @ KEY.T
    output, weights = expect.parts(
        student.attention(QUERY, KEY, VALUE), 2,
        otherwise="return the output and the weights", read="exercise 2.1")
    expect.close(
        weights, WORKED, what="weights",
        otherwise="softmax(QKᵀ / √d_k) over the last axis", read="§3.2.1, Eq. 1")
    expect.close(
        output, WORKED @ VALUE, what="output",
        otherwise="the weights are correct: multiply them by the values", read="§3.2.1, Eq. 1")


@exercise("2.1")
def test_mask(student):
    """Under a causal mask, a query attends to keys up to its own; its weights sum to one."""
    allowed = NUMERATORS * CAUSAL
    _, weights = expect.parts(student.attention(QUERY, KEY, VALUE, CAUSAL), 2)
    expect.close(
        weights, allowed / allowed.sum(-1, keepdim=True), what="weights",
        otherwise="set masked scores to a very large negative number before the softmax",
        read="§3.2.3")


@exercise("2.1")
def test_dropout(student):
    """`dropout` is applied to the weights that multiply the values, not to the returned ones."""
    called = student.attention(QUERY, KEY, VALUE, None, student.make("lambda w: 2 * w"))
    output, weights = expect.parts(called, 2)
    scores = QUERY @ KEY.T / math.sqrt(3)
    expect.close(
        output, 2 * WORKED @ VALUE, what="the output with a `dropout` that doubles its input",
        otherwise="dropout(weights) @ value", read="exercise 2.1")
    expect.close(
        weights, WORKED, what="weights",
        otherwise="return the weights before dropout", read="exercise 2.1")


@exercise("2.1")
def test_row_without_keys(student):
    """A query whose keys are all masked gets zeros, and its gradients are finite."""
    mask = CAUSAL.clone()
    mask[2] = False
    found = student.vjp(student.attention, QUERY, KEY, VALUE, mask=mask)
    output, gradient = found.value, found.arguments[0]
    expect.close(
        output[2], [0.0, 0.0], what="the output of the query without keys",
        otherwise="zero weights give a zero output", read="exercise 2.1")
    hidden = bool(torch.isfinite(output).all())
    expect.true(
        gradient is not None and bool(torch.isfinite(gradient).all()),
        expected="finite gradients", got=expect.show(gradient) if gradient is not None else "none",
        because="NaN is hidden only in the forward pass: its gradient is still NaN"
                if hidden and gradient is not None else "",
        otherwise="do not create NaN at all", read="exercise 2.1, the trap")


@exercise("2.1")
def test_leading_axes(student):
    """Leading axes for batch and heads are kept; incompatible shapes raise a ValueError."""
    query, key, value = draw(0, 2, 3, 4, 6), draw(1, 2, 3, 5, 6), draw(2, 2, 3, 5, 2)
    output, _ = expect.parts(student.attention(query, key, value), 2)
    expect.shape(output, (2, 3, 4, 2), what="the output", read="exercise 2.1")
    expect.raises(
        lambda: student.attention(query, key[..., :5], value), mentions=["2, 3, 4, 6"],
        otherwise="call `_check_shapes` first", read="exercise 2.1")
