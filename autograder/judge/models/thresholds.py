"""The accuracy or BLEU that a trained model needs for its points.

A threshold in percent comes from measured results: the reference's mean over seeds, less two
standard deviations that account for seeds and for a test split of this size:
mean − 2·√(seed variance + sampling variance). A threshold in BLEU is a number in course.toml, far
below what the reference reaches, because there is no such formula for BLEU.
"""

from __future__ import annotations

import json
import math

from course_lib.course.exercise import Exercise
from course_lib.course.syllabus import ROOT

RESULTS = ROOT / "results"
MEASURE = "test_accuracy"


def full_at(exercise: Exercise, examples: int) -> float:
    """The accuracy in percent, or BLEU, that earns full points on a split of `examples`.

    Raises FileNotFoundError or KeyError if the results that course.toml names are missing.
    """
    if not isinstance(exercise.full_at, str):
        assert exercise.full_at is not None
        return exercise.full_at
    text = (RESULTS / f"{exercise.full_at}.json").read_text(encoding="utf-8")
    measured = json.loads(text)["measures"][MEASURE]
    return calibrated(measured["mean"], measured["sd"], examples)


def calibrated(mean: float, sd: float, examples: int) -> float:
    """The threshold in percent, rounded down to a tenth in the student's favor."""
    sampling = mean * (100 - mean) / examples
    return math.floor(10 * (mean - 2 * math.sqrt(sd**2 + sampling))) / 10


def share(exercise: Exercise, reached: float, examples: int) -> float:
    """The share of the points, 0 to 1: linear between `zero_at` and `full_at`."""
    assert exercise.zero_at is not None
    top = full_at(exercise, examples)
    return min(1.0, max(0.0, (reached - exercise.zero_at) / (top - exercise.zero_at)))
