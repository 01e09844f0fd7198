"""The visible checks of exercise 3.12: what it attends to."""

import torch

from grader.checking import expect
from grader.checking.exercise import exercise

# Expectations are set like tables: value, causes, hint, section.
# fmt: off


def draw(seed, *shape):
    return torch.randn(shape, generator=torch.Generator().manual_seed(seed))


REAL = torch.tensor([[True, True, True, True], [True, True, False, False]])
MASK = REAL[:, None, None, :]


@exercise("3.12")
def test_received_by_hand(student):
    """Two heads, four tokens, a padded sentence."""
    weights = torch.zeros(2, 2, 4, 4)
    weights[0, 0] = torch.eye(4)
    weights[0, 1, :, 0] = 1.0
    weights[1, :, :, 1] = 1.0
    weights[1, 0, 0] = torch.tensor([1.0, 0, 0, 0])
    want = torch.tensor([[5 / 8, 1 / 8, 1 / 8, 1 / 8], [1 / 4, 3 / 4, 0, 0]])
    got = student.attention_received(weights, MASK)
    expect.shape(got, (2, 4), what="the result", otherwise="one number per token, (batch, n)",
                 read="exercise 3.12")
    expect.close(
        got, want,
        otherwise="mean over heads, then over the real queries; 0 at padding", read="exercise 3.12")


@exercise("3.12")
def test_received_sums_to_one(student):
    """A sentence's real tokens receive all of its attention."""
    weights = draw(0, 2, 3, 4, 4).masked_fill(~MASK, -1e9).softmax(-1)
    got = student.attention_received(weights, MASK)
    expect.close((got * REAL).sum(-1), [1.0, 1.0], atol=1e-5, what="sums over real tokens",
                 otherwise="divide by the number of real queries", read="exercise 3.12")
    even = torch.full((2, 1, 4, 4), 0.25)  # of a model that attends to its padding
    expect.close(
        student.attention_received(even, MASK)[~REAL], [0.0, 0.0], what="what padding receives",
        otherwise="0 at padding", read="exercise 3.12")
