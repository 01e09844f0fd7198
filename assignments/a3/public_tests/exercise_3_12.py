"""The visible checks of exercise 3.12: what it attends to."""

import torch

from grader.checking.question import question

MASK = torch.tensor([[True, True, True, True], [True, True, False, False]])[:, None, None, :]
MEAN = "mean over heads, then over the real queries; 0 at padding"


@question("3.12", weight=3, advice=MEAN, read="exercise 3.12")
def test_received_by_hand(its):
    """Two heads, four tokens, a padded sentence."""
    weights = torch.zeros(2, 2, 4, 4)
    weights[0, 0], weights[0, 1, :, 0] = torch.eye(4), 1.0
    weights[1, 0, :, 1] = weights[1, 1, 1:, 1] = weights[1, 1, 0, 0] = 1.0
    return its.attention_received(weights, MASK)


@question("3.12", weight=2, advice=MEAN, read="exercise 3.12")
def test_received_sums_to_one(its):
    """Padding receives 0, also of a model that attends to it, and in one sentence."""
    even = torch.full((2, 1, 4, 4), 0.25)
    return its.attention_received(even, MASK), its.attention_received(even[:1], MASK[1:])


@question("3.12", corner=True, advice="make a new tensor: `weights * real`", read="exercise 3.12")
def test_weights_stay(its):
    """The given weights are the same afterwards."""
    even = torch.full((2, 1, 4, 4), 0.25)
    return {"arguments that it changed": its.call(its.attention_received, even, MASK).changed}
