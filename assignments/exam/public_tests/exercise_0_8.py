"""The visible check of exercise 0.8, with layers of its own: exercise 0.7 need not be done."""

import torch

from grader.checking import expect
from grader.checking.exercise import exercise

# Stands in for EncoderLayer: it doubles what it gets.
DOUBLE = """type("Double", (torch.nn.Module,), {
    "__init__": lambda self, *sizes, **options: torch.nn.Module.__init__(self),
    "forward": lambda self, x, mask=None, need_weights=False: (2 * x, None)})"""
SWAP = "student.update(EncoderLayer=part)"


@exercise("0.8")
def test_three_layers(student):
    """Three layers that double their input give eight times the input."""
    own = student.make("student.get('EncoderLayer')")
    student.make(SWAP, part=student.make(DOUBLE))
    try:
        output = student.Encoder(3, 2, 1, 2, 0.0)(torch.ones(1, 2, 2))[0]
    finally:
        student.make(SWAP, part=own)
    expect.close(output, torch.full((1, 2, 2), 8.0), what="the output", read="§3.1")
