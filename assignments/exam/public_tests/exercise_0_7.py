"""The visible check of exercise 0.7, with an attention of its own: task 1 need not be done."""

import torch

from grader.checking.question import question

# Stands in for MultiHeadAttention: with a mask it turns the features round.
STAND_IN = """type("StandIn", (torch.nn.Module,), {
    "__init__": lambda self, *sizes, **options: torch.nn.Module.__init__(self),
    "forward": lambda self, query, key, value, mask=None, need_weights=False: (
        query if mask is None else query.flip(-1), None)})"""
SWAP = "student.update(MultiHeadAttention=part)"


@question("0.7", advice="is the mask passed on?", read="§3.2.3")
def test_masked_token(its):
    """The attention gets the mask, if there is one."""
    own = its.make("student.get('MultiHeadAttention')")
    its.make(SWAP, part=its.make(STAND_IN))
    try:
        layer, x = its.EncoderLayer(4, 2, 8, 0.0), torch.arange(12.0).reshape(1, 3, 4).sin()
        outputs = [layer(x, mask)[0] for mask in (None, torch.tensor([True, True, False]))]
    finally:
        its.make(SWAP, part=own)
    return {"a mask changes nothing": bool(torch.allclose(*outputs))}
