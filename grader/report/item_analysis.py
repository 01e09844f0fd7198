"""Item analysis of an assignment: how hard each exercise is, and how well it tells students apart.

The terms are those of classical test theory. Difficulty is the mean share of an exercise's points.
Discrimination is the corrected item-total correlation: Pearson's correlation of the exercise's
points with the sum of the points of all others. For an exercise with only two outcomes this is the
point-biserial correlation.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import NormalDist

import numpy as np

from grader.course.assignment import Assignment

from ..gradebook.result import Result

MIN_STUDENTS = 10  # a correlation of fewer is mostly chance, and is not shown
MIN_DIFFERENT = 5  # students with other points than most: fewer would make it by themselves


@dataclass(frozen=True)
class Discrimination:
    """A correlation with its 95 % interval (Fisher's z, exact only for normal variables)."""

    value: float
    low: float
    high: float


@dataclass(frozen=True)
class Item:
    """One exercise. `students` have points for it; `difficulty` is None if there are none.

    Without a `discrimination`, `reason` says why.
    """

    id: str
    students: int
    full: int
    difficulty: float | None
    discrimination: Discrimination | None
    reason: str = ""


@dataclass(frozen=True)
class Spread:
    """How totals are distributed; `deviation` is that of the sample, None for one student."""

    students: int
    lowest: float
    lower_quartile: float
    median: float
    upper_quartile: float
    highest: float
    mean: float
    deviation: float | None


def items(assignment: Assignment, results: Sequence[Result]) -> list[Item]:
    """Every exercise of the assignment, over results that have points; not untouched notebooks."""
    results = [result for result in results if not result.untouched]
    points = np.array([_points(assignment, result) for result in results], dtype=float)
    points = points.reshape(len(results), len(assignment.exercises))
    regular = np.array([not exercise.bonus for exercise in assignment.exercises])
    most = [exercise.points for exercise in assignment.exercises]
    found = []
    for column, exercise in enumerate(assignment.exercises):
        own = points[:, column]
        own = own[~np.isnan(own)]
        value, reason = discrimination(points, column, regular)
        found.append(
            Item(
                exercise.id,
                len(own),
                int((own >= most[column]).sum()),
                float(own.mean() / most[column]) if len(own) else None,
                value,
                reason,
            )
        )
    return found


def discrimination(
    points: np.ndarray, item: int, regular: np.ndarray
) -> tuple[Discrimination | None, str]:
    """The corrected item-total correlation of one column, or None and the reason.

    `points` has a row for each student, a column for each exercise, and NaN for pending points. The
    total counts the other `regular` columns that are complete, so that all totals are comparable.
    """
    rows = ~np.isnan(points[:, item])
    if rows.sum() < MIN_STUDENTS:
        return None, f"fewer than {MIN_STUDENTS} students"
    others = regular & ~np.isnan(points).any(axis=0)
    others[item] = False
    own, rest = points[rows, item], points[rows][:, others].sum(axis=1).round(6)
    different = len(own) - np.unique(own.round(6), return_counts=True)[1].max()
    if not different:
        return None, "everyone has the same points"
    if different < MIN_DIFFERENT:
        return None, f"fewer than {MIN_DIFFERENT} students have other points than most"
    if np.ptp(rest) == 0:
        return None, "everyone has the same points elsewhere"
    value = float(np.clip(np.corrcoef(own, rest)[0, 1], -1, 1))
    return Discrimination(value, *_interval(value, len(own))), ""


def _interval(correlation: float, students: int) -> tuple[float, float]:
    """Fisher's interval. It is computed here, as SciPy's statistics take a second to import."""
    if abs(correlation) == 1:
        return correlation, correlation
    middle = math.atanh(correlation)
    half = NormalDist().inv_cdf(0.975) / math.sqrt(students - 3)
    return math.tanh(middle - half), math.tanh(middle + half)


def spread(totals: Sequence[float]) -> Spread | None:
    """Quartiles by linear interpolation; None without totals."""
    if not totals:
        return None
    low, first, median, third, high = np.percentile(totals, [0, 25, 50, 75, 100]).tolist()
    deviation = float(np.std(totals, ddof=1)) if len(totals) > 1 else None
    mean = math.fsum(totals) / len(totals)
    return Spread(len(totals), low, first, median, third, high, mean, deviation)


def _points(assignment: Assignment, result: Result) -> list[float]:
    """The points of each exercise; NaN while one of its parts is pending."""
    found = {e.id: e for e in result.exercises}
    row = []
    for exercise in assignment.exercises:
        own = found.get(exercise.id)
        pending = own is None or own.points is None or any(p.points is None for p in own.parts)
        row.append(math.nan if pending or own is None or own.points is None else own.points)
    return row
