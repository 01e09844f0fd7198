"""The visible check of exercise 0.7, with an attention of its own: task 1 need not be done."""

import torch

from grader.checking.question import question

# Stands in for MultiHeadAttention: every query reads the sum of the values that the mask allows.
SUM = """type("Sum", (torch.nn.Module,), {
    "__init__": lambda self, *sizes, **options: torch.nn.Module.__init__(self),
    "forward": lambda self, query, key, value, mask=None, need_weights=False: (
        (value if mask is None else value * mask[0, 0, 0, :, None])
        .sum(dim=1, keepdim=True).expand_as(query), None),
})"""


@question("0.7", advice="is the mask passed on?", read="§3.2.3")
def test_masked_token(its):
    """What a masked token holds changes nothing at the other tokens."""
    own = its.make("student.get('MultiHeadAttention')")
    its.make("student.update(MultiHeadAttention=sum)", sum=its.make(SUM))
    try:
        layer, x = its.EncoderLayer(4, 2, 8, 0.0), torch.arange(12.0).reshape(1, 3, 4).sin()
        mask = torch.tensor([True, True, False])[None, None, None]
        other = torch.cat([x[:, :2], x[:, 2:] + torch.tensor([1.0, 0, 0, 0])], dim=1)
        before, after = (layer(one, mask)[0][:, :2] for one in (x, other))
    finally:
        its.make("student.update(MultiHeadAttention=own)", own=own)
    return {"the other tokens are as before": bool(torch.allclose(before, after, atol=1e-6))}
