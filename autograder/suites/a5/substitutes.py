"""Neutral substitutes for assignment 5: the names of the starter, written with SciPy and NumPy.

When a test fails because an earlier exercise is wrong, it is run again with the definition of that
name from here.
"""

import math

import numpy as np
from scipy import stats


def mean_interval(values, level=0.95):
    """The mean and its interval, from SciPy's standard error of the mean."""
    if len(values) == 0:
        raise ValueError("no values")
    mean = float(np.mean(values))
    if len(values) == 1:
        return mean, -math.inf, math.inf
    wide = -float(stats.t.ppf((1 - level) / 2, len(values) - 1) * stats.sem(values))
    return mean, mean - wide, mean + wide


def pooled_noise(groups):
    """The standard deviation around the groups' own means, and its degrees of freedom."""
    around = [np.subtract(group, np.mean(group)) for group in groups if len(group)]
    degrees = sum(map(len, around)) - len(around)
    if degrees < 1:
        raise ValueError("no group has two values")
    return float(np.linalg.norm(np.concatenate(around)) / math.sqrt(degrees)), degrees


def detectable_difference(s, degrees, n_seeds, level=0.95):
    """The half width of the interval of a difference of two means."""
    return float(stats.t.isf((1 - level) / 2, degrees) * s * math.sqrt(2 / n_seeds))
