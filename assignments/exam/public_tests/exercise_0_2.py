"""The visible checks of exercise 0.2: splitting and merging heads."""

import torch

from grader.checking import expect
from grader.checking.exercise import exercise


@exercise("0.2")
def test_head_0(student):
    """Head 0 of two has the first half of each token's features; merging undoes the split."""
    x = torch.arange(24.0).reshape(1, 3, 8)
    heads = student.split_heads(x, 2)
    expect.shape(heads, (1, 2, 3, 4), what="the heads", read="exercise 0.2")
    expect.close(heads[:, 0], x[..., :4], what="head 0", read="exercise 0.2")
    expect.close(student.merge_heads(heads), x, what="the merged heads", read="exercise 0.2")
