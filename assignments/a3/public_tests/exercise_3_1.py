"""The visible checks of exercise 3.1: sinusoidal positions."""

import math

import torch

from grader.checking import expect
from grader.checking.exercise import exercise

# Expectations are set like tables: value, causes, hint, section.
# fmt: off


@exercise("3.1")
def test_small_table(student):
    """Three positions of four features, as in the formula."""
    def table(function):
        return [[function(p, k) for k in range(4)] for p in range(3)]

    waves = (math.sin, math.cos)
    want = table(lambda p, k: waves[k % 2](p / 100 ** (k // 2)))
    halves = table(lambda p, k: waves[k // 2](p / 100 ** (k % 2)))
    expect.close(
        student.sinusoidal_positions(3, 4), want,
        otherwise="sin(pos / 10000^(2i/d_model)) in feature 2i, the cosine in 2i + 1", read="§3.5")


@exercise("3.1")
def test_odd_width(student):
    """An odd width ends with a sine, and the table is float32."""
    too_many = "an odd width has one cosine fewer than sines"

    def as_many():
        torch.empty(2, 3)[:, 1::2] = torch.ones(2, 2)

    got = student.sinusoidal_positions(2, 3)
    expect.dtype(got, "float32", what="the table", read="exercise 3.1")
    last = math.sin(10000 ** (-2 / 3)), math.cos(10000 ** (-2 / 3))
    start = [math.sin(1), math.cos(1)]
    expect.close(
        got, [[0, 1, 0], [*start, last[0]]],
        otherwise="one more sine than cosines", read="exercise 3.1")
