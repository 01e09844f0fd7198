"""The visible check of exercise 0.5."""

import torch

from grader.checking import expect
from grader.checking.exercise import exercise


@exercise("0.5")
def test_nothing_added(student):
    """In pre-norm order, x is left as it is by a sub-layer that returns zeros."""
    x = torch.tensor([[1.0, 4.0, 7.0]])
    module = student.ResidualConnection(3, 0.0, norm_first=True)
    got = module.method("leave", x, torch.zeros_like(x))
    expect.close(got, x, what="the output", read="exercise 0.5")
