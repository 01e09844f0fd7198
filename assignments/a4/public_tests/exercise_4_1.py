"""The visible checks of exercise 4.1: the causal mask and the target mask."""

import torch

from grader.checking import expect
from grader.checking.exercise import exercise

# Expectations are set like tables: value, causes, hint, section.
# fmt: off

TARGETS = torch.tensor([[2, 7, 5], [2, 4, 0]])  # the second sentence ends with padding
EARLIER = torch.tensor([[1, 0, 0], [1, 1, 0], [1, 1, 1]]).bool()
REAL = torch.tensor([[1, 1, 1], [1, 1, 0]]).bool()


@exercise("4.1")
def test_three_positions(student):
    """Position i sees itself and all earlier positions."""
    mask = student.causal_mask(3)
    expect.shape(mask, (1, 1, 3, 3), what="the mask of three positions",
                 otherwise="two axes of size 1, for batch and heads, before queries and keys",
                 read="exercise 4.1")
    expect.dtype(mask, "bool", what="the mask", read="exercise 4.1")
    want = torch.tensor([[1, 0, 0], [1, 1, 0], [1, 1, 1]]).bool()
    expect.close(
        mask[0, 0], want,
        otherwise="a row for each query, a column for each key", read="§3.2.3")


@exercise("4.1")
def test_how_much_is_open(student):
    """Query i may attend to i + 1 keys, for any length."""
    for n in (1, 6):
        open_keys = student.causal_mask(n)[0, 0].sum(-1)
        expect.close(open_keys, list(range(1, n + 1)), what=f"visible keys of each query, n = {n},",
                     otherwise="the first query sees one key, the last sees all of them",
                     read="§3.2.3")


@exercise("4.1")
def test_device(student):
    """The mask is made on `device`."""
    # torch's "meta" device is on every machine: tensors without values
    where = student.make("lambda make, *given: make(*given).device.type")
    expect.equal(where(student.causal_mask, 3, "meta"), "meta", what="device, asked for 'meta',",
                 read="exercise 4.1")


@exercise("4.1", after=["causal_mask"])
def test_two_sentences(student):
    """Real tokens that are not later, for an unpadded and a padded sentence."""
    mask = student.target_mask(TARGETS)
    expect.shape(mask, (2, 1, 3, 3), what="the mask of two sentences of three tokens",
                 otherwise="batch, one axis for all heads, queries, keys", read="exercise 4.1")
    expect.dtype(mask, "bool", what="the mask", read="exercise 4.1")
    keys, queries = REAL[:, None, :], REAL[:, :, None]
    expect.close(
        mask[:, 0], EARLIER & keys,
        otherwise="combine the padding mask and the causal mask by broadcasting", read="§3.2.3")


@exercise("4.1", after=["causal_mask"])
def test_another_padding(student):
    """`pad_id` is the padding; token 0 is then a word."""
    got = student.target_mask(torch.tensor([[6, 0, 9]]), pad_id=9)[0, 0]
    expect.close(
        got, [[1, 0, 0], [1, 1, 0], [1, 1, 0]],
        otherwise="pass `pad_id` on to `padding_mask`", read="exercise 4.1")
