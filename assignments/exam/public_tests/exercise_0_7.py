"""The visible check of exercise 0.7, with an attention of its own: task 1 need not be done."""

import torch

from grader.checking import expect
from grader.checking.exercise import exercise

# Stands in for MultiHeadAttention: every query reads the sum of the values that the mask allows.
SUM = """type("Sum", (torch.nn.Module,), {
    "__init__": lambda self, *sizes, **options: torch.nn.Module.__init__(self),
    "forward": lambda self, query, key, value, mask=None, need_weights=False: (
        (value if mask is None else value * mask[0, 0, 0, :, None])
        .sum(dim=1, keepdim=True).expand_as(query), None),
})"""


@exercise("0.7")
def test_masked_token(student):
    """What a masked token holds changes nothing at the other tokens."""
    own = student.make("student.get('MultiHeadAttention')")
    student.make("student.update(MultiHeadAttention=sum)", sum=student.make(SUM))
    try:
        layer = student.EncoderLayer(4, 2, 8, 0.0)
        x = torch.arange(12.0).reshape(1, 3, 4).sin()
        other = x.clone()
        other[0, 2, 0] += 1
        mask = torch.tensor([True, True, False])[None, None, None]
        before, after = (expect.parts(layer(v, mask), 2)[0] for v in (x, other))
    finally:
        student.make("student.update(MultiHeadAttention=own)", own=own)
    expect.close(after[:, :2], before[:, :2], atol=1e-6, what="the other tokens", read="§3.2.3")
