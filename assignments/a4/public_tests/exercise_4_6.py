"""The visible checks of exercise 4.6: label smoothing."""

import math

import torch

from grader.checking import expect
from grader.checking.exercise import exercise

# Expectations are set like tables: value, causes, hint, section.
# fmt: off


def draw(seed, *shape):
    return torch.randn(shape, generator=torch.Generator().manual_seed(seed))


LOGITS, TARGETS = 2 * draw(0, 2, 3, 7), torch.tensor([[4, 2, 3], [6, 3, 0]])
# Computed here, before the exercise forbids torch's loss.
TORCHS = {reduction: torch.nn.functional.cross_entropy(
    LOGITS.flatten(0, 1), TARGETS.flatten(), label_smoothing=0.1, ignore_index=0,
    reduction=reduction) for reduction in ("mean", "sum")}
ALL_COUNTED = torch.nn.functional.cross_entropy(
    LOGITS.flatten(0, 1), TARGETS.flatten(), label_smoothing=0.1)


@exercise("4.6")
def test_one_token_by_hand(student):
    """Four tokens of probability 0.1 to 0.4; the last is the target and ε is 0.2."""
    p = [0.1, 0.2, 0.3, 0.4]
    logs = [math.log(x) for x in p]
    mean, true = sum(logs) / 4, logs[3]
    got = student.label_smoothed_loss(torch.tensor([logs]), torch.tensor([3]), smoothing=0.2)
    expect.shape(got, (), what="the loss", otherwise="one number", read="exercise 4.6")
    expect.close(
        got, -(0.8 * true + 0.2 * mean),
        otherwise="weights of 0.85 for the true token and 0.05 for each other", read="§5.4")


@exercise("4.6", weight=2)
def test_padding_does_not_count(student):
    """A mean over five real tokens of six; equal to torch's own loss."""
    expect.close(
        student.label_smoothed_loss(LOGITS, TARGETS), TORCHS["mean"],
        otherwise="the sum over real tokens, divided by their number", read="exercise 4.6")
    moved = torch.where(TARGETS == 0, 5, TARGETS)
    expect.close(
        student.label_smoothed_loss(LOGITS, moved, pad_id=5), TORCHS["mean"],
        what="the loss with pad_id=5", otherwise="padding is every target equal to pad_id",
        read="exercise 4.6")


@exercise("4.6", beside=["test_one_token_by_hand", "test_padding_does_not_count"])
def test_nothing_but_padding(student):
    """Without any real target the loss is 0, not NaN."""
    got = student.label_smoothed_loss(LOGITS, torch.zeros(2, 3, dtype=torch.long))
    expect.close(got, 0.0, what="the loss of only padding", otherwise="0/0: divide by at least 1",
                 read="exercise 4.6")
