"""Style: loops, plain numbers, lists in place of tuples and arrays."""

import math
import statistics

from scipy import stats


def mean_interval(values, level=0.95):
    if not values:
        raise ValueError("no values")
    mean = statistics.fmean(values)
    if len(values) == 1:
        return [mean, -math.inf, math.inf]
    half = stats.t(len(values) - 1).ppf(1 - (1 - level) / 2)
    half *= statistics.stdev(values) / len(values) ** 0.5
    return [mean, mean - half, mean + half]


def pooled_noise(groups):
    squares = 0.0
    degrees = 0
    for group in groups:
        if len(group) > 1:
            mean = statistics.fmean(group)
            for value in group:
                squares += (value - mean) ** 2
            degrees += len(group) - 1
    if degrees == 0:
        raise ValueError("no group has two values")
    return (squares / degrees) ** 0.5, degrees


def holm(p_values):
    result = [None] * len(p_values)
    before = 0
    for remaining in range(len(p_values), 0, -1):
        place = -1
        for i in range(len(p_values)):
            if result[i] is None and (place < 0 or p_values[i] < p_values[place]):
                place = i
        before = max(before, remaining * p_values[place])
        if before > 1:
            before = 1.0
        result[place] = before
    return result
