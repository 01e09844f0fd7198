"""Decides when a random sample of the sentences is enough: when the rest cannot change a point.

Points are linear in the score between two thresholds and constant outside. A look at the answers so
far gives a range in which the score of all sentences lies with 99.9 % confidence. If no exercise's
points differ within it, the model is done; if the score itself counts, all sentences are asked. So
a sample is never the reason for more or fewer points, only for less work. Looks come after 200,
400, 800 … answers: with few looks, a wrong stop stays about as rare as the confidence says.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from course_lib.course.exercise import Exercise

from . import thresholds
from .hidden_labels import HiddenLabels
from .measure import Measure

FIRST_LOOK = 200  # answers; the standard error of fewer is itself too uncertain
STANDARD_ERRORS = 3.29  # either side of the score: 99.9 % of a normal distribution


class Enough:
    """Called with the answers so far, in the order `order`; True if no more are needed.

    `exercises` are those that are scored with this model; without any, all answers are needed.
    After it returned True, `note` says why for the report.
    """

    def __init__(
        self,
        measure: Measure,
        exercises: Sequence[Exercise],
        order: np.ndarray,
        hidden: HiddenLabels,
    ):
        self._measure, self._exercises = measure, exercises
        self._order, self._hidden = order, hidden
        self._next_look = FIRST_LOOK
        self.note = ""

    def __call__(self, answers: Sequence[Any]) -> bool:
        count, examples = len(answers), len(self._order)
        if not self._exercises or not self._next_look <= count < examples:
            return False
        self._next_look = 2 * self._next_look
        score, error = self._measure.estimate(answers, self._order[:count].tolist(), self._hidden)
        # a sample without replacement: the error vanishes when it contains every sentence
        margin = STANDARD_ERRORS * error * (1 - count / examples) ** 0.5
        low, high = max(0.0, score - margin), min(100.0, score + margin)
        for exercise in self._exercises:
            shares = [thresholds.share(exercise, value, examples) for value in (low, high)]
            if shares[0] != shares[1]:
                return False
        self.note = (
            f"{count} of {examples} sentences, drawn at random, were {self._measure.verb}: with "
            f"99.9 % confidence the score of all is between {low:.1f} and {high:.1f}, and anywhere "
            "in this range the points are the same"
        )
        return True
