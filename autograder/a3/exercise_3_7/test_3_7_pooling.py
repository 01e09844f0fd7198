"""Hidden tests of exercise 3.7: the mean over the real tokens."""

import math

import torch

from autograder.a3.answers import answered, normal
from autograder.a3.encoder_reference import mean
from grader.checking import expect
from grader.checking.exercise import exercise
from grader.checking.known_mistakes import known_mistakes

MISTAKE = known_mistakes(__file__)

POOLING = "exercise 3.7"
IDS = torch.tensor([[5, 3, 8, 2, 7], [4, 9, 1, 0, 0], [6, 0, 0, 0, 0]])


def pool(student, x, real, what, wanted=None):
    """Compare the student's mean with ours and with those of likely mistakes."""
    call = answered(
        lambda: student.call(student.masked_mean, x, real[:, None, None, :]),
        "remove the mask's axes of size 1, and add one for the features",
        POOLING,
    )
    expect.unchanged(call.changed)
    inner = x.nan_to_num(0.0)
    count = real.sum(1, keepdim=True)
    expect.close(
        call.value,
        mean(inner, real) if wanted is None else wanted,
        atol=1e-5,
        otherwise="the sum over the real tokens, divided by their number",
        read=POOLING,
        what=what,
    )


@exercise("3.7", weight=2)
def test_masked_mean(student, rng):
    """The mean over the real tokens: their sum divided by their number."""
    real = IDS != 0
    pool(student, normal(rng, 3, 5, 4) + 1, real, "masked_mean(x, mask)")
    scattered = torch.tensor([[0, 1, 1, 0, 1], [1, 0, 0, 0, 1], [0, 0, 0, 1, 0]]).bool()
    pool(student, normal(rng, 3, 5, 4), scattered, "masked_mean with padding in between")


@exercise("3.7")
def test_padding_holds_anything(student, rng):
    """Values at the padding are ignored, even NaN and infinity."""
    x, real = normal(rng, 3, 5, 4), IDS != 0
    for junk in (1e6, math.inf, math.nan):
        dirty = x.masked_fill(~real[..., None], junk)
        call = student.call(student.masked_mean, dirty, real[:, None, None, :])
        expect.close(
            call.value,
            mean(x, real),
            atol=1e-5,
            otherwise="replace the values at the padding before the sum (`masked_fill`)",
            read=POOLING,
            what=f"the mean, with {junk} at the padding",
        )


@exercise("3.7")
def test_nothing_but_padding(student, rng):
    """A sentence without real tokens gives zeros, never NaN."""
    x, real = normal(rng, 2, 4, 3), torch.zeros(2, 4, dtype=torch.bool)
    real[1, :2] = True
    call = student.call(student.masked_mean, x, real[:, None, None, :])
    wanted = mean(x, real)
    nothing = ~real.any(1, keepdim=True)
    expect.close(
        call.value,
        wanted,
        atol=1e-5,
        otherwise="zeros for a sentence without real tokens",
        read=POOLING,
        what="the means of a sentence of only padding and of another",
    )
