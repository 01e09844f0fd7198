"""The visible checks of exercise 0.1: masked attention."""

import math

import torch

from grader.checking import expect
from grader.checking.exercise import exercise


def draw(seed, *shape):
    return torch.randn(shape, generator=torch.Generator().manual_seed(seed))


@exercise("0.1")
def test_a_small_case(student):
    """One query and two keys, by hand."""
    query, key = torch.tensor([[2.0, 0.0]]), torch.tensor([[math.sqrt(2), 0.0], [0.0, 1.0]])
    value = torch.tensor([[1.0], [0.0]])
    share = math.exp(2) / (math.exp(2) + 1)
    output, weights = expect.parts(student.attention(query, key, value), 2)
    expect.close(weights, [[share, 1 - share]], atol=1e-5, what="weights", read="exercise 0.1")
    expect.close(output, [[share]], atol=1e-5, what="output", read="exercise 0.1")


@exercise("0.1")
def test_causal_mask(student):
    """Under a causal mask no query reads the future, and its weights sum to one."""
    x, mask = draw(0, 2, 5, 4), torch.ones(5, 5, dtype=torch.bool).tril()
    _, weights = expect.parts(student.attention(x, x, x, mask), 2)
    expect.close(weights * ~mask, torch.zeros(2, 5, 5), what="weights of the future", read="§3.2.3")
    expect.close(
        weights.sum(-1), torch.ones(2, 5), atol=1e-5, what="sums of weights", read="§3.2.3"
    )
