"""The visible checks of exercise 4.2: what a target may see."""

import torch

from course_lib.checking import expect
from course_lib.checking.exercise import exercise

# Expectations are set like tables: value, causes, hint, section.
# fmt: off

TARGETS = torch.tensor([[2, 7, 5], [2, 4, 0]])  # the second sentence ends with padding
EARLIER = torch.tensor([[1, 0, 0], [1, 1, 0], [1, 1, 1]]).bool()
REAL = torch.tensor([[1, 1, 1], [1, 1, 0]]).bool()


@exercise("4.2")
def test_two_sentences(student):
    """Real tokens that are not later, for an unpadded and a padded sentence."""
    mask = student.target_mask(TARGETS)
    expect.shape(mask, (2, 1, 3, 3), what="the mask of two sentences of three tokens",
                 otherwise="batch, one axis for all heads, queries, keys", read="exercise 4.2")
    expect.dtype(mask, "bool", what="the mask", read="exercise 4.2")
    keys, queries = REAL[:, None, :], REAL[:, :, None]
    expect.close(
        mask[:, 0], EARLIER & keys,
        causes={"the padding is visible": EARLIER.expand(2, 3, 3),
                "the future is visible": keys.expand(2, 3, 3),
                "the conditions are combined by or: both must hold": EARLIER | keys,
                "the padding is masked as a query: mask it as a key": EARLIER & queries},
        otherwise="combine the padding mask and the causal mask by broadcasting", read="§3.2.3")


@exercise("4.2")
def test_another_padding(student):
    """`pad_id` is the padding; token 0 is then a word."""
    got = student.target_mask(torch.tensor([[6, 0, 9]]), pad_id=9)[0, 0]
    expect.close(
        got, [[1, 0, 0], [1, 1, 0], [1, 1, 0]],
        causes={"`pad_id` is not passed on: 0 is always padding":
                    [[1, 0, 0], [1, 0, 0], [1, 0, 1]]},
        otherwise="pass `pad_id` on to `padding_mask`", read="exercise 4.2")
