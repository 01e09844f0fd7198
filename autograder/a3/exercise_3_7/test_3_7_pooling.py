"""Hidden tests of exercise 3.7: the mean over the real tokens."""

import math

import torch

from autograder.a3.tensors import normal
from grader.checking.question import question

REAL = torch.tensor([[1, 1, 1, 1, 1], [1, 1, 1, 0, 0], [1, 0, 0, 0, 0]]).bool()
SCATTERED = torch.tensor([[0, 1, 1, 0, 1], [1, 0, 0, 0, 1], [0, 0, 0, 1, 0]]).bool()


@question("3.7", weight=2, advice="`masked_fill`, sum, divide by 1 or more", read="exercise 3.7")
def test_masked_mean(its, rng):
    """The mean over the real tokens, whatever is at the padding; no real token gives zeros."""
    x = 1 + normal(rng, 3, 5, 4)
    cases = {"three": (x, REAL), "others": (x, SCATTERED), "one": (x[:1], REAL[1:2])}
    cases |= {"single tokens": (x[:, :1], REAL[:, :1]), "no real token": (x, REAL & False)}
    for junk in (1e6, math.inf, math.nan):
        cases[f"three, beside {junk}"] = x.masked_fill(~REAL[..., None], junk), REAL
    found = {}
    for name, (x, real) in cases.items():
        called = its.call(its.masked_mean, x, real[:, None, None])
        found |= {f"the mean of {name}": called.value, f"changed, {name}": called.changed}
    return found
