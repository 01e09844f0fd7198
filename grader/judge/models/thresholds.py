"""The score that a trained model needs for its points.

A threshold comes from measured results: the reference's mean over seeds, less two standard
deviations that account for seeds and for the test split:
mean − 2·√(seed variance + sampling variance). The scorer knows the sampling variance: that of an
accuracy follows from the size of the split, others are measured by a bootstrap.
"""

import json
import math
from pathlib import Path

from grader.course.exercise import Exercise

from .scorer import Scorer


def full_at(exercise: Exercise, examples: int, scorer: Scorer) -> float:
    """The score that earns full points on a split of `examples`.

    Of several results, one for each profile that can be chosen, the lowest counts. Raises
    FileNotFoundError or KeyError if the results that course.toml names are missing.
    """
    if isinstance(exercise.full_at, list):
        return min(_of_results(path, examples, scorer) for path in exercise.calibration)
    assert exercise.full_at is not None
    return exercise.full_at


def _of_results(path: Path, examples: int, scorer: Scorer) -> float:
    measures = json.loads(path.read_text(encoding="utf-8"))["measures"]
    return calibrated(*scorer.calibration(measures, examples))


def calibrated(mean: float, sd: float, error: float) -> float:
    """The threshold, rounded down to a tenth in the student's favor.

    `sd` is the standard deviation over seeds, `error` the standard error of the test split.
    """
    return math.floor(10 * (mean - 2 * math.hypot(sd, error))) / 10


def share(exercise: Exercise, reached: float, examples: int, scorer: Scorer) -> float:
    """The share of the points, 0 to 1: linear between `zero_at` and `full_at`."""
    assert exercise.zero_at is not None
    top = full_at(exercise, examples, scorer)
    return min(1.0, max(0.0, (reached - exercise.zero_at) / (top - exercise.zero_at)))
