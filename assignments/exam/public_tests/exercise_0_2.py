"""The visible checks of exercise 0.2: splitting and merging heads."""

import torch

from grader.checking.question import question


@question("0.2", advice="head i owns the features i·d_k … (i+1)·d_k − 1", read="exercise 0.2")
def test_head_0(its):
    """Head 0 of two has the first half of each token's features; merging undoes the split."""
    heads = its.split_heads(torch.arange(24.0).reshape(1, 3, 8), 2)
    return {"heads": heads, "the merged heads": its.merge_heads(heads)}
