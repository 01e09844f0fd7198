"""The visible checks of exercise 0.9: attention by blocks."""

import torch

from grader.checking.question import question

X = torch.arange(20.0).sin().reshape(1, 5, 4)


@question("0.9", advice="a block of queries needs all keys, and its own rows", read="exercise 0.9")
def test_five_queries(its):
    """Five queries in blocks of two give what all at once give, with a causal mask and without."""
    masks = {"output": None, "output under a causal mask": torch.ones(5, 5).tril().bool()}
    return {name: its.long_attention(X, X, X, mask, block=2) for name, mask in masks.items()}
