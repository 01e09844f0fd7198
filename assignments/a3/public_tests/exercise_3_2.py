"""The visible checks of exercise 3.2: the padding mask."""

import torch

from grader.checking import expect
from grader.checking.exercise import exercise

# Expectations are set like tables: value, causes, hint, section.
# fmt: off

SENTENCES = torch.tensor([[5, 7, 6, 3], [4, 8, 0, 0]])  # two real tokens in the second
REAL = torch.tensor([[True, True, True, True], [True, True, False, False]])


@exercise("3.2")
def test_real_tokens(student):
    """True at real tokens, False at padding, with axes for heads and queries."""
    mask = student.padding_mask(SENTENCES)
    expect.shape(
        mask, (2, 1, 1, 4), what="the mask",
        otherwise="two axes of size 1 between batch and keys", read="exercise 3.2")
    expect.dtype(mask, "bool", what="the mask", read="exercise 3.2")
    expect.close(
        mask[:, 0, 0], REAL,
        otherwise="a token is real if it is not pad_id", read="exercise 3.2")


@exercise("3.2")
def test_other_padding(student):
    """`pad_id` says which id is padding."""
    expect.close(
        student.padding_mask(SENTENCES, pad_id=7)[:, 0, 0], SENTENCES != 7,
        otherwise="compare with pad_id", read="exercise 3.2")
