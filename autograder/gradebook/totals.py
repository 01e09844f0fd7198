"""The sums of one result: automatic, manual, bonus, penalty, total."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from .lateness import lateness

if TYPE_CHECKING:
    from course_lib.course.syllabus import Assignment

Result = dict[str, Any]

UNGRADED = "UNGRADED"  # the grader failed, not the submission: no points yet, and not zero points
WITHOUT_POINTS = ("INVALID", UNGRADED)  # there is nothing to see exercise by exercise


def add_up(result: Result, assignment: Assignment) -> dict[str, Any]:
    """The `totals` of a result, from its exercises as they stand and the time it was received.

    `manual` is None while no written part has been marked. A bonus exercise counts as bonus only,
    written or not, and not towards `max`. What the grader failed on has no `automatic`
    and no `total`.
    """
    regular = [e for e in result["exercises"] if not e["bonus"]]
    machine = [e for e in regular if e["kind"] != "written"]
    written = [e for e in regular if e["kind"] == "written"]
    parts = [part for e in result["exercises"] for part in e.get("parts", [])]
    marked = any(part["points"] is not None for e in written for part in e.get("parts", []))
    automatic, manual = _sum(machine), _sum(written)
    bonus = _sum(e for e in result["exercises"] if e["bonus"])
    late = lateness(result["submission"].get("received"), assignment)
    earned = automatic + manual + bonus
    penalty = late.penalty(earned)
    graded = result["outcome"] != UNGRADED
    return {
        "automatic": automatic if graded else None,
        "automatic_max": _sum(machine, "max_points"),
        "manual": manual if marked else None,
        "manual_max": _sum(written, "max_points"),
        "manual_pending": sum(part["points"] is None for part in parts),
        "bonus": bonus,
        "total": round(earned - penalty, 2) if graded else None,
        "max": _sum(regular, "max_points"),
        "late_days": late.days,
        "late_penalty": penalty,
    }


def _sum(exercises: Iterable[dict[str, Any]], key: str = "points") -> float:
    return round(sum(float(exercise[key] or 0) for exercise in exercises), 2)
