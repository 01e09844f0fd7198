"""How far numbers of a few seeds can be trusted: intervals from Student's t."""

import math
from collections.abc import Sequence

import numpy as np
from scipy import stats


def mean_interval(values: Sequence[float], level: float = 0.95) -> tuple[float, float, float]:
    """`(mean, low, high)`: the mean of one value a seed, and its confidence interval.

    The interval is the mean ± t · s / √n, where s is the sample standard deviation (n − 1) and t
    the two-sided quantile of Student's t with n − 1 degrees of freedom. With one value nothing is
    known about the spread, and the interval is (−∞, ∞). Raises ValueError without values.
    """
    if len(values) == 0:
        raise ValueError("there are no values: give one for each seed")
    mean, n = float(np.mean(values)), len(values)
    if n == 1:
        return mean, -math.inf, math.inf
    quantile = stats.t.ppf((1 + level) / 2, df=n - 1)
    half_width = float(quantile * np.std(values, ddof=1) / math.sqrt(n))
    return mean, mean - half_width, mean + half_width


def pooled_noise(groups: Sequence[Sequence[float]]) -> tuple[float, int]:
    """`(s, degrees)`: the standard deviation between seeds, from all configurations together.

    Each group has the values of one configuration, and its own mean. s² is the sum of all squared
    deviations from these means, divided by `degrees`, the number of values minus the number of
    groups that are not empty. Raises ValueError when no group has two values.
    """
    filled = [np.asarray(group, dtype=float) for group in groups if len(group)]
    degrees = sum(len(group) - 1 for group in filled)
    if degrees < 1:
        raise ValueError("no configuration has two values: run at least one with two seeds")
    squares = sum(float(((group - group.mean()) ** 2).sum()) for group in filled)
    return math.sqrt(squares / degrees), degrees


def detectable_difference(s: float, degrees: int, n_seeds: int, level: float = 0.95) -> float:
    """The smallest difference of two means, each of `n_seeds`, whose interval leaves out 0.

    It is t · s · √(2 / n_seeds), with the two-sided quantile of Student's t with `degrees` degrees
    of freedom.
    """
    return float(stats.t.ppf((1 + level) / 2, df=degrees) * s * math.sqrt(2 / n_seeds))
