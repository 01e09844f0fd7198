"""What a new grading would change in the grades that count now."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

from . import differences
from .totals import UNGRADED

if TYPE_CHECKING:
    from .result import Result


def preview(now: Iterable[Result], stored: Mapping[tuple[str, str], Result]) -> dict[str, Any]:
    """Compare new results with the `stored` ones of the same student and assignment.

    `summary` counts: up, down, same (the total), new (nothing stored), ungraded (the grader
    failed). `changes` has an entry for each result whose total or tests differ, most points first:
    student, assignment, `before` and `now` (totals, None if there is none), points, exercises
    (differences by id) and tests; see `differences.by_test`.
    """
    summary = dict.fromkeys(("up", "down", "same", "new", "ungraded"), 0)
    changes = []
    for result in now:
        kind, change = _change(stored.get((result.student, result.assignment)), result)
        summary[kind] += 1
        if kind != "same" or change["tests"] or change["exercises"]:
            changes.append(change)
    changes.sort(key=lambda c: (-abs(c["points"] or 0.0), c["student"], c["assignment"]))
    return {"summary": summary, "changes": changes}


def _change(before: Result | None, now: Result) -> tuple[str, dict[str, Any]]:
    change: dict[str, Any] = {
        "student": now.student,
        "assignment": now.assignment,
        "outcome": now.outcome,
        "before": before.totals.total if before else None,
        "now": now.totals.total,
        "points": None,
        "exercises": {},
        "tests": [],
    }
    if now.outcome == UNGRADED:
        return "ungraded", change
    if before is None:
        return "new", change
    points = round((now.totals.total or 0.0) - (before.totals.total or 0.0), 2)
    found = {
        "points": points,
        "exercises": differences.by_exercise(before, now),
        "tests": differences.by_test(before, now),
    }
    return "up" if points > 0 else "down" if points < 0 else "same", change | found
