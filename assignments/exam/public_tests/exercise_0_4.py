"""The visible check of exercise 0.4."""

import torch

from grader.checking.question import question


@question("0.4", advice="the docstring says which variance", read="§3.1")
def test_two_features(its):
    """Two features become −1 and 1."""
    return its.LayerNorm(2)(torch.tensor([[3.0, 5.0], [-10.0, 10.0]]))
