"""The visible checks of exercise 0.9: attention by blocks."""

import torch

from grader.checking.question import question

X = torch.arange(20.0).sin().reshape(1, 5, 4)
# The size of the largest tensor that autograd keeps for the gradients, as it keeps a softmax.
LARGEST = """
def largest(call, x):
    sizes, x = [0], x.requires_grad_()
    kept = torch.autograd.graph.saved_tensors_hooks
    with kept(lambda one: sizes.append(one.numel()) or one, lambda one: one):
        call(x, x, x, block=2)
    return max(sizes)
"""


@question("0.9", advice="a block of queries needs all keys, and its own rows", read="exercise 0.9")
def test_five_queries(its):
    """Five queries in blocks of two give what all at once give, with a causal mask and without."""
    masks = {"output": None, "output under a causal mask": torch.ones(5, 5).tril().bool()}
    return {name: its.long_attention(X, X, X, mask, block=2) for name, mask in masks.items()}


@question("0.9", needs_one_of=["test_five_queries"], advice="make the weights block by block")
def test_no_whole_table(its):
    """Sixty queries in blocks of two never have their 3,600 weights at once."""
    largest = its.make("(exec(code, scope := {'torch': torch}), scope['largest'])[1]", code=LARGEST)
    x = torch.arange(240.0).sin().reshape(1, 60, 4)
    return {"no tensor has more than 1,800 numbers": largest(its.long_attention, x) <= 1800}
