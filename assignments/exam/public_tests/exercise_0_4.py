"""The visible check of exercise 0.4."""

import torch

from grader.checking import expect
from grader.checking.exercise import exercise


@exercise("0.4")
def test_two_features(student):
    """Two features become −1 and 1."""
    got = student.LayerNorm(2)(torch.tensor([[3.0, 5.0], [-10.0, 10.0]]))
    expect.close(got, [[-1.0, 1.0], [-1.0, 1.0]], atol=1e-4, what="the output", read="§3.1")
