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
        causes={"sine and cosine are swapped: even features are sines":
                    table(lambda p, k: waves[1 - k % 2](p / 100 ** (k // 2))),
                "all sines first, then all cosines: the paper interleaves them": halves,
                "feature 2i + 1 has its own angle here: it must share that of feature 2i":
                    table(lambda p, k: waves[k % 2](p / 100 ** (k / 2))),
                "the exponent is twice too large: 2i is already the number of the even feature":
                    table(lambda p, k: waves[k % 2](p / 10000 ** (k // 2))),
                "positions are counted from 1: the first is 0":
                    table(lambda p, k: waves[k % 2]((p + 1) / 100 ** (k // 2)))},
        otherwise="sin(pos / 10000^(2i/d_model)) in feature 2i, the cosine in 2i + 1", read="§3.5")


@exercise("3.1")
def test_odd_width(student):
    """An odd width ends with a sine, and the table is float32."""
    too_many = "an odd width has one cosine fewer than sines"

    def as_many():
        torch.empty(2, 3)[:, 1::2] = torch.ones(2, 2)

    with expect.raising({too_many: as_many}, expected="a table of shape (2, 3)",
                        read="exercise 3.1"):
        got = student.sinusoidal_positions(2, 3)
    expect.dtype(got, "float32", what="the table", read="exercise 3.1")
    last = math.sin(10000 ** (-2 / 3)), math.cos(10000 ** (-2 / 3))
    start = [math.sin(1), math.cos(1)]
    expect.close(
        got, [[0, 1, 0], [*start, last[0]]],
        causes={too_many: [[0, 1, 0, 1], [*start, *last]],
                "the last column, a sine, is missing": [[0, 1], start]},
        otherwise="one more sine than cosines", read="exercise 3.1")
