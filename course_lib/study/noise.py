"""The noise between seeds, and whether configurations differ by more than it."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from scipy import stats


@dataclass(frozen=True)
class Noise:
    """The standard deviation between seeds of one configuration, pooled over all of them."""

    s: float  # in the unit of quality
    degrees: int

    def half_width(self, n: int, level: float = 0.95) -> float:
        """Of the interval of a mean of `n` seeds: t · s / √n."""
        return float(stats.t.ppf((1 + level) / 2, df=self.degrees)) * self.s / math.sqrt(n)

    def interval_of_s(self, level: float = 0.95) -> tuple[float, float]:
        """Of s itself, from the χ² distribution: noise too is only estimated."""
        tails = stats.chi2.ppf([(1 + level) / 2, (1 - level) / 2], df=self.degrees)
        low, high = (self.s * math.sqrt(self.degrees / tail) for tail in tails)
        return low, high

    def p_of_one_mean(self, means: Sequence[float], n_seeds: Sequence[int]) -> float:
        """The p-value of one-way analysis of variance: that all true means are the same.

        `means[i]` is of `n_seeds[i]` values. F is the mean square between configurations, with
        their number − 1 degrees of freedom, divided by s².
        """
        n, values = np.asarray(n_seeds), np.asarray(means)
        between = float((n * (values - (n * values).sum() / n.sum()) ** 2).sum()) / (len(n) - 1)
        return float(stats.f.sf(between / self.s**2, len(n) - 1, self.degrees))
