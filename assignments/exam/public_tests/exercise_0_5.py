"""The visible check of exercise 0.5."""

import torch

from grader.checking.question import question


@question("0.5", advice="look at both orders", read="exercise 0.5")
def test_nothing_added(its):
    """In pre-norm order, x is left as it is by a sub-layer that returns zeros."""
    module = its.ResidualConnection(3, 0.0, norm_first=True)
    return module.method("leave", torch.tensor([[1.0, 4.0, 7.0]]), torch.zeros(1, 3))
