"""The accuracy or BLEU that a trained model needs for its points.

A threshold comes from measured results: the reference's mean over seeds, less two standard
deviations that account for seeds and for the test split:
mean − 2·√(seed variance + sampling variance). The sampling variance of an accuracy follows from the
size of the split; that of BLEU is measured, by a bootstrap over the sentences of the split.
"""

from __future__ import annotations

import json
import math
from pathlib import Path

from grader.course.exercise import Exercise

ACCURACY, BLEU, BLEU_ERROR = "test_accuracy", "beam5_bleu", "beam5_bleu_standard_error"


def full_at(exercise: Exercise, examples: int) -> float:
    """The accuracy in percent, or BLEU, that earns full points on a split of `examples`.

    Of several results, one for each profile that can be chosen, the lowest counts. Raises
    FileNotFoundError or KeyError if the results that course.toml names are missing.
    """
    if isinstance(exercise.full_at, list):
        return min(_of_results(path, examples) for path in exercise.calibration)
    assert exercise.full_at is not None
    return exercise.full_at


def _of_results(path: Path, examples: int) -> float:
    measures = json.loads(path.read_text(encoding="utf-8"))["measures"]
    if BLEU in measures:
        error = measures[BLEU_ERROR]["mean"]
        return calibrated(measures[BLEU]["mean"], measures[BLEU]["sd"], error)
    mean, sd = measures[ACCURACY]["mean"], measures[ACCURACY]["sd"]
    return calibrated(mean, sd, standard_error(mean, examples))


def standard_error(accuracy: float, examples: int) -> float:
    """The standard error of an accuracy in percent on a split of `examples`."""
    return math.sqrt(accuracy * (100 - accuracy) / examples)


def calibrated(mean: float, sd: float, error: float) -> float:
    """The threshold, rounded down to a tenth in the student's favor.

    `sd` is the standard deviation over seeds, `error` the standard error of the test split.
    """
    return math.floor(10 * (mean - 2 * math.hypot(sd, error))) / 10


def share(exercise: Exercise, reached: float, examples: int) -> float:
    """The share of the points, 0 to 1: linear between `zero_at` and `full_at`."""
    assert exercise.zero_at is not None
    top = full_at(exercise, examples)
    return min(1.0, max(0.0, (reached - exercise.zero_at) / (top - exercise.zero_at)))
