"""Hidden tests of exercise 5.4: intervals from Student's t, and the noise between seeds."""

import math

import numpy as np
from scipy import stats

from course_lib.checking import expect
from course_lib.checking.exercise import exercise
from course_lib.seam import StudentError

READ = "the docstring of 5.4"


def t(level, degrees):
    return float(stats.t.ppf((1 + level) / 2, df=degrees))


def values_of(rng, n, centre=80.0, spread=6.0):
    return [float(value) for value in np.round(centre + spread * rng.normal(size=n), 2)]


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


def groups_of(rng):
    """Configurations far apart, with 4, 2, 1 and 3 seeds, and two without any."""
    sizes = [(4, 60.0, 1.0), (2, 75.0, 3.0), (1, 90.0, 1.0), (3, 82.0, 5.0)]
    groups = [values_of(rng, n, centre, spread) for n, centre, spread in sizes]
    return [groups[0], [], *groups[1:], []]


@exercise("5.4", weight=2)
def test_pooled_noise(student, rng):
    """The noise between seeds is pooled over configurations, each around its own mean."""
    groups = groups_of(rng)
    filled = [np.array(group) for group in groups if group]
    everything = np.concatenate(filled)
    squares = sum(float(((g - g.mean()) ** 2).sum()) for g in filled)
    n, degrees = len(everything), len(everything) - len(filled)
    several = [g for g in filled if len(g) > 1]
    variances = [float(g.var(ddof=1)) for g in several]
    s, found = expect.parts(student.pooled_noise(groups), 2, otherwise="(s, degrees)", read=READ)
    expect.close(
        s,
        math.sqrt(squares / degrees),
        causes={
            "the differences between configurations are included: each group has its own mean": (
                float(everything.std(ddof=1))
            ),
            "the deviations are from the mean of everything": math.sqrt(
                float(((everything - everything.mean()) ** 2).sum()) / degrees
            ),
            "the sum of squares is divided by the number of values": math.sqrt(squares / n),
            "the sum of squares is divided by the number of values − 1": math.sqrt(
                squares / (n - 1)
            ),
            "empty groups are subtracted from the degrees of freedom": math.sqrt(
                squares / (n - len(groups))
            ),
            "this is the mean of the standard deviations: pool the squares": float(
                np.mean(np.sqrt(variances))
            ),
            "this is the root of the mean variance: large groups should count more": math.sqrt(
                float(np.mean(variances))
            ),
            "this is the variance: take its square root": squares / degrees,
        },
        otherwise="√(sum of all squared deviations / degrees)",
        what="s",
        read=READ,
    )
    expect.equal(
        found,
        degrees,
        causes={
            "this is the number of values: each group uses one degree of freedom": n,
            "one is subtracted altogether: each group uses one degree of freedom": n - 1,
            "empty groups are subtracted too": n - len(groups),
            "this is the number of groups − 1": len(filled) - 1,
        },
        otherwise="the number of values minus the number of groups that are not empty",
        what="degrees",
        read=READ,
    )


@exercise("5.4")
def test_equal_groups(student, rng):
    """Configurations whose seeds agree have no noise, however far apart they are."""
    s, degrees = expect.parts(student.pooled_noise([[60.5] * 3, [90.25] * 2]), 2, read=READ)
    expect.close(s, 0.0, what="s of [[60.5, 60.5, 60.5], [90.25, 90.25]]", read=READ)
    expect.equal(degrees, 3, what="degrees", read=READ)


@exercise("5.4")
def test_noise_of_single_values(student, rng):
    """Without a group of two values the noise is unknown."""
    for groups in ([[80.0], [81.5], []], [[], []], []):
        expect.raises(
            lambda groups=groups: student.pooled_noise(groups),
            because=_of_nothing(student, groups),
            otherwise="raise ValueError when no group has two values",
            read=READ,
        )


def _of_nothing(student, groups):
    """What a returned value says of the mistake."""
    try:
        degrees = student.pooled_noise(groups)[1]
    except (StudentError, TypeError, IndexError):
        return ""
    if degrees == 0:
        return "no configuration has two seeds, so nothing is known: raise ValueError"
    return "the degrees of freedom count values, although each group uses one for its mean"


@exercise("5.4", weight=2)
def test_detectable_difference(student, rng):
    """The smallest difference that two means of `n_seeds` can show."""
    for degrees, n_seeds, options in ((12, 3, {}), (4, 2, {}), (9, 5, {"level": 0.8})):
        s, level = 4 + float(rng.integers(0, 32)) / 8, options.get("level", 0.95)
        right = t(level, degrees) * s * math.sqrt(2 / n_seeds)
        z = float(stats.norm.ppf((1 + level) / 2))
        wrong = {
            "√(1 / n_seeds) is the error of one mean; a difference of two has √(2 / n_seeds)": (
                right / math.sqrt(2)
            ),
            "s is not divided by √n_seeds": right * math.sqrt(n_seeds),
            "this is 2 / n_seeds without its root": right * math.sqrt(2 / n_seeds),
            "2 times the error of one mean: variances add up, not errors": right * math.sqrt(2),
            "the quantile is the normal distribution's, not Student's t": right
            * z
            / t(level, degrees),
            "the quantile is one-sided: each side leaves out (1 − level) / 2": right
            * float(stats.t.ppf(level, df=degrees))
            / t(level, degrees),
            "the degrees of freedom are those of n_seeds: use `degrees`, of the pooled noise": (
                right * t(level, n_seeds - 1) / t(level, degrees)
            ),
            "the degrees of freedom are 2 · n_seeds − 2: use `degrees`, of the pooled noise": (
                right * t(level, 2 * n_seeds - 2) / t(level, degrees)
            ),
            "the quantile is missing": s * math.sqrt(2 / n_seeds),
            "`level` is not used: it is always 0.95": right * t(0.95, degrees) / t(level, degrees),
        }
        expect.close(
            student.detectable_difference(s, degrees, n_seeds, **options),
            right,
            causes=wrong,
            otherwise="t · s · √(2 / n_seeds)",
            what=f"detectable_difference({s}, {degrees}, {n_seeds}, level={level})",
            read=READ,
        )
