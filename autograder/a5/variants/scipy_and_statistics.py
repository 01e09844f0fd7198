"""Style: loops, statistics and NumPy's draws; lists in place of tuples, own exceptions."""

import math
import statistics

from scipy import stats


def recommend(summary, margin, cost):
    sound = [row for row in summary if row["n"] > row["failed"] == 0]
    try:
        best = max(row["mean"] for row in sound)
    except ValueError:
        raise ValueError("every configuration has failed") from None
    choice, *_ = sorted(
        (row for row in sound if row["mean"] - best > -margin),
        key=lambda row: [row[cost], -row["mean"]],
    )
    return choice


def chance_of_being_best(means, s, n_seeds, rng, n_draws=10_000):
    covariance = np.diag([s**2 / n for n in n_seeds])
    drawn = rng.multivariate_normal(means, covariance, size=n_draws)
    best = drawn.argsort(axis=1)[:, -1]
    return np.mean(best[:, None] == np.arange(len(means)), axis=0)


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
