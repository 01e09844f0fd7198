"""The findings in the rows of a study, worked out once: for its report and for its confirmation."""

import math
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from statistics import median_low

import numpy as np
from scipy import stats

from .intervals import detectable_difference, pooled_noise
from .pareto import pareto_front
from .recommendation import chance_of_being_best, recommend
from .sensitivity import sensitivity
from .space import DEFAULT, FACTORS, Configuration
from .summary import summarize
from .trial import Row

COST = "train_seconds"  # what a recommendation saves where quality leaves the choice open
MEMORY = "peak_memory_mib"
ALPHA = 0.05  # below this a p-value counts as a difference
DRAWS_SEED = 0  # of the repeated studies behind `chances`
UNFINISHED = ("waiting", "running")


@dataclass(frozen=True)
class Noise:
    """The standard deviation between seeds of one configuration, pooled over all of them."""

    s: float  # in the unit of quality
    degrees: int

    def half_width(self, *n_seeds: int) -> float:
        """Of the 95 % interval of a mean of `n` seeds, t · s / √n; of several, of their sum."""
        quantile = float(stats.t.ppf(0.975, df=self.degrees))
        return quantile * self.s * math.sqrt(sum(1 / n for n in n_seeds))

    def interval_of_mean(self, line: Row) -> tuple[float, float]:
        """The 95 % interval of a configuration's mean."""
        half = self.half_width(line["n"])
        return line["mean"] - half, line["mean"] + half

    def interval_of_s(self) -> tuple[float, float]:
        """The 95 % interval of s itself, from the χ² distribution: it is only estimated too."""
        tails = stats.chi2.ppf([0.975, 0.025], df=self.degrees)
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


@dataclass(frozen=True)
class Findings:
    """The rows of a study (`rows` of its database) and what follows from them.

    Whatever cannot be known from these rows is None: the noise where no configuration has two
    seeds or all seeds agree exactly, and with it the margin and the recommendation.
    """

    rows: Sequence[Row]

    @cached_property
    def complete(self) -> list[Row]:
        return [row for row in self.rows if row["status"] == "complete"]

    @cached_property
    def unfinished(self) -> list[Row]:
        return [row for row in self.rows if row["status"] in UNFINISHED]

    @cached_property
    def measures(self) -> list[str]:
        """The costs that every complete trial has measured."""
        return [
            name
            for name in (COST, MEMORY, "inferences_per_second", "parameters")
            if all(row.get(name) is not None for row in self.complete)
        ]

    @cached_property
    def summary(self) -> list[Row]:
        """One line per configuration with an ended trial, the best first. Raises ValueError."""
        ended = [row for row in self.rows if row["status"] not in UNFINISHED]
        return summarize(ended, FACTORS, self.measures)

    @cached_property
    def measured(self) -> list[Row]:
        """The lines of the summary that have a complete trial."""
        return [line for line in self.summary if line["n"]]

    @cached_property
    def eligible(self) -> list[Row]:
        """Those that come into question: a complete trial, and no failed one."""
        return [line for line in self.measured if not line["failed"]]

    @cached_property
    def noise(self) -> Noise | None:
        try:
            s, degrees = pooled_noise([line["qualities"] for line in self.measured])
        except ValueError:
            return None
        return Noise(s, degrees) if s > 0 else None

    @cached_property
    def n_seeds(self) -> int:
        """The median number of seeds of those that come into question; 0 without one."""
        return median_low([line["n"] for line in self.eligible]) if self.eligible else 0

    @cached_property
    def margin(self) -> float | None:
        """The detectable difference of two means of `n_seeds`."""
        if self.noise is None or not self.n_seeds:
            return None
        return detectable_difference(self.noise.s, self.noise.degrees, self.n_seeds)

    @cached_property
    def recommended(self) -> Row | None:
        """The line of the configuration to take."""
        if self.margin is None:
            return None
        return recommend(self.eligible, max(self.margin, sys.float_info.min), COST)

    @cached_property
    def as_good(self) -> list[Row]:
        """The lines that cannot be told from the best one: less than the margin below it."""
        if self.margin is None:
            return []
        best = self.eligible[0]["mean"]
        return [line for line in self.eligible if best - line["mean"] < self.margin]

    @cached_property
    def chances(self) -> list[float]:
        """Of each line of `eligible`, in order: how often a repeated study would put it first."""
        if self.noise is None or not self.eligible:
            return []
        means, seeds = self._means
        rng = np.random.default_rng(DRAWS_SEED)
        return chance_of_being_best(means, self.noise.s, seeds, rng).tolist()

    def chance_of(self, line: Row) -> float | None:
        """The chance of a line; None if it does not come into question."""
        keys = [self.key(sound) for sound in self.eligible]
        return dict(zip(keys, self.chances, strict=False)).get(self.key(line))

    @cached_property
    def p_of_no_difference(self) -> float | None:
        """Of one-way analysis of variance: that all of `eligible` have one true mean."""
        if self.noise is None or len(self.eligible) < 2:
            return None
        return self.noise.p_of_one_mean(*self._means)

    @cached_property
    def effects(self) -> list[Row]:
        """Of each single change to the default, as `sensitivity`; empty where none is known."""
        if self.noise is None or self.line_of(DEFAULT) is None:
            return []
        return sensitivity(self.summary, DEFAULT, FACTORS)

    @cached_property
    def costs(self) -> list[str]:
        """The costs that quality is weighed against."""
        return [cost for cost in (COST, MEMORY) if cost in self.measures]

    @cached_property
    def front(self) -> list[Row]:
        """Those of `eligible` that no other one beats in quality and every cost."""
        points = [[line["mean"], *(line[cost] for cost in self.costs)] for line in self.eligible]
        places = pareto_front(points, [True] + [False] * len(self.costs))
        return [self.eligible[place] for place in places]

    @property
    def n_planned(self) -> int:
        """The number of configurations."""
        return len({self.key(row) for row in self.rows})

    def is_recommended(self, line: Row) -> bool:
        return self.recommended is not None and self.key(self.recommended) == self.key(line)

    @property
    def _means(self) -> tuple[list[float], list[int]]:
        return [line["mean"] for line in self.eligible], [line["n"] for line in self.eligible]

    def line_of(self, configuration: Configuration) -> Row | None:
        """The line of a configuration, if it has a complete trial."""
        key = self.key(configuration)
        return next((line for line in self.measured if self.key(line) == key), None)

    def key(self, row: Row) -> tuple:
        """The levels of a row or configuration, in the order of the factors."""
        return tuple(row[factor] for factor in FACTORS)

    def configuration(self, row: Row) -> Configuration:
        return {factor: row[factor] for factor in FACTORS}
