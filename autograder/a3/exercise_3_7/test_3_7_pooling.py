"""Hidden tests of exercise 3.7: the mean over the real tokens."""

import math

import torch

from autograder.a3.tensors import normal
from grader.checking.question import question

READ = "exercise 3.7"
REAL = torch.tensor([[1, 1, 1, 1, 1], [1, 1, 1, 0, 0], [1, 0, 0, 0, 0]]).bool()
SCATTERED = torch.tensor([[0, 1, 1, 0, 1], [1, 0, 0, 0, 1], [0, 0, 0, 1, 0]]).bool()


def mean(its, x, real):
    return its.call(its.masked_mean, x, real[:, None, None, :])


@question(
    "3.7", weight=2, advice="the sum over the real tokens, divided by their number", read=READ
)
def test_masked_mean(its, rng):
    """The mean over the real tokens: their sum divided by their number."""
    cases = {"three": REAL, "others": SCATTERED, "one": REAL[1:2], "single tokens": REAL[:, :1]}
    called = {n: mean(its, normal(rng, *real.shape, 4) + 1, real) for n, real in cases.items()}
    return {f"the mean of {name}": one.value for name, one in called.items()} | {
        "arguments that it changed": [one.changed for one in called.values()]
    }


@question("3.7", weight=2, advice="`masked_fill` before the sum; divide by 1 or more", read=READ)
def test_padding_holds_anything(its, rng):
    """Values at the padding are ignored, even NaN; no real token gives zeros."""
    x, values = normal(rng, 3, 5, 4), (1e6, math.inf, math.nan)
    dirty = {junk: x.masked_fill(~REAL[..., None], junk) for junk in values}
    found = {f"with {j} at the padding": mean(its, one, REAL).value for j, one in dirty.items()}
    return found | {"of no real token": mean(its, x, REAL & False).value}
