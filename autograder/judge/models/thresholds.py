"""How many percent, or how much BLEU, a trained model needs for its points.

A threshold in percent comes from results that a command has measured: it is the reference's mean
over seeds, less twice the spread that seeds and a test split of this size bring about:
mean − 2·√(seed variance + sampling variance). One in BLEU is a number in course.toml, far below
what the reference reaches: how BLEU scatters no formula says.
"""

from __future__ import annotations

import json
import math

from course_lib.course.exercise import Exercise
from course_lib.course.syllabus import ROOT

RESULTS = ROOT / "results"
MEASURE = "test_accuracy"


def full_at(exercise: Exercise, examples: int) -> float:
    """What earns an exercise's points in full, on a split of `examples`: percent right, or BLEU.

    Raises FileNotFoundError or KeyError when the results that course.toml names are not there.
    """
    if not isinstance(exercise.full_at, str):
        assert exercise.full_at is not None
        return exercise.full_at
    text = (RESULTS / f"{exercise.full_at}.json").read_text(encoding="utf-8")
    measured = json.loads(text)["measures"][MEASURE]
    return calibrated(measured["mean"], measured["sd"], examples)


def calibrated(mean: float, sd: float, examples: int) -> float:
    """The threshold in percent, rounded to a tenth in the student's favour."""
    sampling = mean * (100 - mean) / examples
    return math.floor(10 * (mean - 2 * math.sqrt(sd**2 + sampling))) / 10


def share(exercise: Exercise, reached: float, examples: int) -> float:
    """The share of the points, 0 to 1, that this percentage or BLEU earns: linear between."""
    assert exercise.zero_at is not None
    top = full_at(exercise, examples)
    return min(1.0, max(0.0, (reached - exercise.zero_at) / (top - exercise.zero_at)))
