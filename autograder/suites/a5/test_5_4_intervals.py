"""Hidden tests of exercise 5.4: intervals from Student's t, and the noise between seeds."""

import math

import numpy as np
from scipy import stats

from autograder.suites.a5.draws import READ, t, values_of
from grader.checking import expect
from grader.checking.exercise import exercise


def half_widths(values, level):
    """The half width that each mistake would give."""
    n, s, biased = len(values), float(np.std(values, ddof=1)), float(np.std(values))
    z = float(stats.norm.ppf((1 + level) / 2))
    return {
        "s is divided by n, not by n − 1: it must be the sample standard deviation": (
            t(level, n - 1) * biased / math.sqrt(n)
        ),
        "the quantile is the normal distribution's: with few seeds Student's t is much wider": (
            z * s / math.sqrt(n)
        ),
        "the quantile is one-sided: each side leaves out (1 − level) / 2": (
            float(stats.t.ppf(level, df=n - 1)) * s / math.sqrt(n)
        ),
        "s is not divided by √n: this is the spread of single seeds, not of their mean": (
            t(level, n - 1) * s
        ),
        "s is divided by n, not by √n": t(level, n - 1) * s / n,
        "the degrees of freedom are n, not n − 1": t(level, n) * s / math.sqrt(n),
        "the quantile is missing: this is one standard error": s / math.sqrt(n),
        "`level` is not used: it is always 0.95": t(0.95, n - 1) * s / math.sqrt(n),
        "the variance is used in place of the standard deviation": (
            t(level, n - 1) * s**2 / math.sqrt(n)
        ),
    }


def check_interval(got, values, level, what):
    mean, low, high = expect.parts(got, 3, otherwise="(mean, low, high)", read=READ)
    centre, n = float(np.mean(values)), len(values)
    half = t(level, n - 1) * float(np.std(values, ddof=1)) / math.sqrt(n)
    causes = {name: [centre - h, centre + h] for name, h in half_widths(values, level).items()}
    median = float(np.median(values))
    expect.close(
        mean,
        centre,
        causes={
            "this is the median: the interval is around the mean": median,
            "this is the sum of the values": sum(values),
        },
        what=f"mean of {what}",
        read=READ,
    )
    expect.close(
        [low, high],
        [centre - half, centre + half],
        causes={
            **causes,
            "low and high are exchanged": [centre + half, centre - half],
            "this is the half width: subtract it from the mean, and add it": [half, half],
            "low and high are distances from the mean": [-half, half],
        },
        otherwise="mean ± t · s / √n",
        what=f"low and high of {what}",
        read=READ,
    )


@exercise("5.4", weight=2)
def test_interval(student, rng):
    """The mean and its 95 % interval, for two, three and eight seeds."""
    for n in (3, 2, 8):
        values = values_of(rng, n)
        check_interval(student.mean_interval(values), values, 0.95, f"{n} values")


@exercise("5.4")
def test_level(student, rng):
    """`level` decides the width."""
    for level in (0.8, 0.99):
        values = values_of(rng, 5)
        got = student.mean_interval(values, level)
        check_interval(got, values, level, f"5 values with level={level}")


@exercise("5.4")
def test_no_spread(student, rng):
    """Equal values give an interval without width."""
    value = float(rng.integers(60, 90))
    got = expect.parts(student.mean_interval([value] * 4), 3, read=READ)
    expect.close(list(got), [value] * 3, what="the interval of four equal values", read=READ)


@exercise("5.4")
def test_one_value(student, rng):
    """One value says nothing about the spread: (−∞, ∞)."""
    value = float(rng.integers(60, 90))
    mean, low, high = expect.parts(student.mean_interval([value]), 3, read=READ)
    ends = [float(end) if isinstance(end, (int, float)) else math.nan for end in (low, high)]
    because = ""
    if any(math.isnan(end) for end in ends):
        because = "s of one value with n − 1 = 0 is 0/0: return (mean, -math.inf, math.inf) first"
    elif ends == [value, value]:
        because = "an interval without width claims that one seed is certain; it knows nothing"
    expect.true(
        ends == [-math.inf, math.inf],
        expected="the interval (−inf, inf) of one value",
        got=f"({low}, {high})",
        because=because,
        otherwise="with one value the interval is (−∞, ∞)",
        read=READ,
    )
    expect.close(mean, value, what="the mean of one value", read=READ)


@exercise("5.4")
def test_no_values(student):
    """No values at all are an error."""
    expect.raises(
        lambda: student.mean_interval([]),
        because="an interval of nothing is returned: raise ValueError for an empty list",
        otherwise="look at the number of values first",
        read=READ,
    )
