"""What the rows of a study say, worked out once: for its report and for its confirmation."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from statistics import median_low
from typing import Any

import numpy as np

from .intervals import detectable_difference, pooled_noise
from .noise import Noise
from .recommendation import chance_of_being_best, recommend
from .space import DEFAULT, FACTORS, Configuration, Factors
from .summary import summarize

Row = dict[str, Any]
COST = "train_seconds"  # what a recommendation saves where quality leaves the choice open
MEMORY = "peak_memory_mib"
ALPHA = 0.05  # below this a p-value counts as a difference
DRAWS_SEED = 0  # of the repeated studies behind `chances`
UNFINISHED = ("waiting", "running")


@dataclass(frozen=True)
class Findings:
    """The rows of a study (`rows` of its database) and what follows from them.

    Whatever cannot be known from these rows is None: the noise where no configuration has two
    seeds or all seeds agree exactly, and with it the margin and the recommendation.
    """

    rows: Sequence[Row]
    factors: Factors
    default: Configuration

    @classmethod
    def of(
        cls, rows: Sequence[Row], factors: Factors = FACTORS, default: Configuration = DEFAULT
    ) -> Findings:
        return cls(rows, factors, default)

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
        """One line a configuration with an ended trial, the best first. Raises ValueError."""
        ended = [row for row in self.rows if row["status"] not in UNFINISHED]
        return summarize(ended, self.factors, self.measures)

    @cached_property
    def measured(self) -> list[Row]:
        """The lines of the summary that have a complete trial."""
        return [line for line in self.summary if line["n"]]

    @cached_property
    def sound(self) -> list[Row]:
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
        return median_low([line["n"] for line in self.sound]) if self.sound else 0

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
        return recommend(self.sound, max(self.margin, sys.float_info.min), COST)

    @cached_property
    def as_good(self) -> list[Row]:
        """The lines that cannot be told from the best one: less than the margin below it."""
        if self.margin is None:
            return []
        best = self.sound[0]["mean"]
        return [line for line in self.sound if best - line["mean"] < self.margin]

    @cached_property
    def chances(self) -> list[float]:
        """Of each line of `sound`, in order: how often a repeated study would put it first."""
        if self.noise is None or not self.sound:
            return []
        means, seeds = zip(*((line["mean"], line["n"]) for line in self.sound), strict=True)
        rng = np.random.default_rng(DRAWS_SEED)
        return chance_of_being_best(means, self.noise.s, seeds, rng).tolist()

    @cached_property
    def p_of_no_difference(self) -> float | None:
        """Of one-way analysis of variance: that all of `sound` have one true mean."""
        if self.noise is None or len(self.sound) < 2:
            return None
        means, seeds = zip(*((line["mean"], line["n"]) for line in self.sound), strict=True)
        return self.noise.p_of_one_mean(means, seeds)

    def line_of(self, configuration: Configuration) -> Row | None:
        """The line of a configuration, if it has a complete trial."""
        key = self.key(configuration)
        return next((line for line in self.measured if self.key(line) == key), None)

    def key(self, row: Row) -> tuple:
        """The levels of a row or configuration, in the order of the factors."""
        return tuple(row[factor] for factor in self.factors)

    def configuration(self, row: Row) -> Configuration:
        return {factor: row[factor] for factor in self.factors}
