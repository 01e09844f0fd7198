"""A sequential test: when a random sample of the sentences is enough, as the rest changes no point.

Points are linear in the score between two thresholds and constant outside. A look at the answers so
far gives a range in which the score of all sentences lies with 99.9 % confidence. If no exercise's
points differ within it, the model is done; if the score itself counts, all sentences are asked. So
a sample is never the reason for more or fewer points, only for less work. The number of answers
doubles from look to look: with few looks, a wrong stop stays about as rare as the confidence says.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from grader.course.exercise import Exercise

from . import thresholds
from .scorer import HiddenLabels, Scorer

STANDARD_ERRORS = 3.29  # either side of the score: 99.9 % of a normal distribution
DOUBT = 25  # of n answers, the standard error itself is uncertain: 1 + DOUBT / n of it is taken
UNSEEN = math.log(1000)  # what none of n answers shows may still be true of UNSEEN / n of the rest


class SequentialTest:
    """Called with the answers so far, in the order `order`; True if no more are needed.

    `exercises` are those that are scored with this model; without any, all answers are needed.
    After it returned True, `note` says why for the report.
    """

    def __init__(
        self,
        scorer: Scorer,
        exercises: Sequence[Exercise],
        order: np.ndarray,
        hidden: HiddenLabels,
    ):
        self._scorer, self._exercises = scorer, exercises
        self._order, self._hidden = order, hidden
        self._next_look = scorer.first_look
        self.note = ""

    def __call__(self, answers: Sequence[Any]) -> bool:
        count, examples = len(answers), len(self._order)
        if not self._exercises or not self._next_look <= count < examples:
            return False
        self._next_look = 2 * self._next_look
        score, error = self._scorer.estimate(answers, self._order[:count].tolist(), self._hidden)
        margin = margin_of(error, count, examples)
        low, high = max(0.0, score - margin), min(100.0, score + margin)
        for exercise in self._exercises:
            shares = [
                thresholds.share(exercise, value, examples, self._scorer) for value in (low, high)
            ]
            if shares[0] != shares[1]:
                return False
        self.note = (
            f"{count} of {examples} sentences, drawn at random, were {self._scorer.verb}: with "
            f"99.9 % confidence the score of all is between {low:.1f} and {high:.1f}, and anywhere "
            "in this range the points are the same"
        )
        return True


def margin_of(error: float, count: int, examples: int) -> float:
    """How far the score of all `examples` may be from that of `count`, in points of the score.

    `error` is the standard error. The sample is without replacement: the margin vanishes when it
    contains every sentence.
    """
    seen = STANDARD_ERRORS * (1 + DOUBT / count) * error
    return max(seen, 100 * UNSEEN / count) * (1 - count / examples) ** 0.5
