"""Hidden tests of exercise 5.4: intervals from Student's t, and the noise between seeds."""

import math

import numpy as np
from scipy import stats

from autograder.a5.exercise_5_4.draws import READ, t, values_of
from grader.checking import expect
from grader.checking.exercise import exercise
from grader.checking.known_mistakes import known_mistakes

MISTAKE = known_mistakes(__file__)


def half_widths(values, level):
    """The half width that each mistake would give."""
    n, s, biased = len(values), float(np.std(values, ddof=1)), float(np.std(values))
    z = float(stats.norm.ppf((1 + level) / 2))
    return {
        MISTAKE.interval_population_deviation: (t(level, n - 1) * biased / math.sqrt(n)),
        MISTAKE.interval_normal_quantile: (z * s / math.sqrt(n)),
        MISTAKE.difference_one_sided: (float(stats.t.ppf(level, df=n - 1)) * s / math.sqrt(n)),
        MISTAKE.interval_without_root_n: (t(level, n - 1) * s),
        MISTAKE.interval_divided_by_n: t(level, n - 1) * s / n,
        MISTAKE.interval_degrees_n: t(level, n) * s / math.sqrt(n),
        MISTAKE.interval_standard_error: s / math.sqrt(n),
        MISTAKE.difference_level_ignored: t(0.95, n - 1) * s / math.sqrt(n),
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
        what=f"mean of {what}",
        read=READ,
    )
    expect.close(
        [low, high],
        [centre - half, centre + half],
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
        because = MISTAKE.interval_of_one_value_nan
    elif ends == [value, value]:
        because = MISTAKE.interval_of_one_value_certain
    expect.true(
        ends == [-math.inf, math.inf],
        expected="the interval (−inf, inf) of one value",
        got=f"({low}, {high})",
        because=because,
        otherwise="with one value the interval is (−∞, ∞)",
        read=READ,
    )
    expect.close(mean, value, what="the mean of one value", read=READ)


@exercise("5.4", beside=["test_interval", "test_level", "test_no_spread"])
def test_no_values(student):
    """No values at all are an error."""
    expect.raises(
        lambda: student.mean_interval([]),
        otherwise="look at the number of values first",
        read=READ,
    )
