"""Hidden tests of exercise 5.4: intervals from Student's t."""

import numpy as np

from grader.checking.question import question, refusal

READ = "the docstring of 5.4"
BESIDE = ["test_interval", "test_level", "test_no_spread"]


def values_of(rng, n, centre=80.0, spread=6.0):
    return [float(value) for value in np.round(centre + spread * rng.normal(size=n), 2)]


@question("5.4", weight=2.5, advice="mean ± t · s / √n", read=READ)
def test_interval(its, rng):
    """The mean and its 95 % interval, for two, three and eight seeds."""
    return {
        f"(mean, low, high) of {n} values": its.mean_interval(values_of(rng, n)) for n in (3, 2, 8)
    }


@question("5.4", weight=1.5, advice="the quantile of (1 + level) / 2", read=READ)
def test_level(its, rng):
    """`level` decides the width."""
    values = values_of(rng, 5)
    return {f"level {level}": its.mean_interval(values, level) for level in (0.8, 0.99)}


@question("5.4", weight=0.5, advice="s is 0", read=READ)
def test_no_spread(its, rng):
    """Equal values give an interval without width."""
    return {"the interval of equal values": its.mean_interval([float(rng.integers(60, 90))] * 4)}


@question("5.4", advice="with one value the interval is (−∞, ∞)", read=READ)
def test_one_value(its, rng):
    """One value says nothing about the spread: (−∞, ∞)."""
    return {"the interval of one value": its.mean_interval([float(rng.integers(60, 90))])}


@question("5.4", weight=0.5, advice="look at the number of values first", read=READ, beside=BESIDE)
def test_no_values(its, rng):
    """No values at all are an error."""
    return refusal(lambda: its.mean_interval([]))
