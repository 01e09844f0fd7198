"""Compares two gradings: of one result by exercise and test, and of a whole class."""

import datetime
from collections.abc import Iterable, Mapping
from typing import Any

from ..exercise_result import GradedTest
from ..result import Result
from ..totals import UNGRADED
from . import total_changes

ABSENT = "no such test"


def preview(
    now: Iterable[Result],
    stored: Mapping[tuple[str, str], Result],
    zone: datetime.tzinfo = total_changes.UTC,
) -> dict[str, Any]:
    """Compare new results with the `stored` ones of the same student and assignment.

    `summary` counts: up, down, same (the total), new (nothing stored), ungraded (the grader
    failed). `changes` has an entry for each result whose total or tests differ, most points first:
    student, assignment, `before` and `now` (totals, None if there is none), points, exercises
    (differences by id), tests (see `by_test`), held (the items whose marks no longer count), and
    why (the causes in words; see `total_changes.reasons`).
    """
    summary = dict.fromkeys(("up", "down", "same", "new", "ungraded"), 0)
    changes = []
    for result in now:
        before = stored.get((result.student, result.assignment))
        if result == before:
            summary["same"] += 1
            continue
        kind, change = _change(before, result, zone)
        summary[kind] += 1
        if kind != "same" or change["tests"] or change["exercises"] or change["held"]:
            changes.append(change)
    changes.sort(key=lambda c: (-abs(c["points"] or 0.0), c["student"], c["assignment"]))
    return {"summary": summary, "changes": changes}


def _change(
    before: Result | None, now: Result, zone: datetime.tzinfo
) -> tuple[str, dict[str, Any]]:
    change: dict[str, Any] = {
        "student": now.student,
        "assignment": now.assignment,
        "outcome": now.outcome,
        "before": before.totals.total if before else None,
        "now": now.totals.total,
        "points": None,
        "exercises": {},
        "tests": [],
        "held": [],
        "why": [],
    }
    if now.outcome == UNGRADED:
        return "ungraded", change
    if before is None:
        return "new", change
    points = round((now.totals.total or 0.0) - (before.totals.total or 0.0), 2)
    found = {
        "points": points,
        "exercises": by_exercise(before, now),
        "tests": by_test(before, now),
        "why": total_changes.reasons(total_changes.facts(before), total_changes.facts(now), zone),
        "held": [m.item for m in now.held if m.item not in {old.item for old in before.held}],
    }
    return "up" if points > 0 else "down" if points < 0 else "same", change | found


def by_exercise(before: Result, now: Result) -> dict[str, float]:
    """By how many points each exercise differs; those that do not are left out."""
    old = {e.id: e.points or 0.0 for e in before.exercises}
    new = {e.id: e.points or 0.0 for e in now.exercises}
    ids = list(dict.fromkeys([*new, *old]))
    differences = {id: round(new.get(id, 0.0) - old.get(id, 0.0), 2) for id in ids}
    return {id: difference for id, difference in differences.items() if difference}


def by_test(before: Result, now: Result) -> list[dict[str, Any]]:
    """Tests that moved points: exercise, id, title, `before` and `now` in words, points.

    They ended differently, or have not all their points and count more or less than before.
    """
    old, new = _tests(before), _tests(now)
    found = []
    for id in dict.fromkeys([*new, *old]):
        exercise, test = new.get(id) or old[id]
        both = [tests[id][1] for tests in (old, new) if id in tests]
        weighed = len(both) == 2 and both[0].max_points != both[1].max_points
        counts = weighed and any(test.points != test.max_points for test in both)
        was, is_now = (_ended(tests.get(id), counts) for tests in (old, new))
        if was != is_now:
            earned = [tests[id][1].points if id in tests else 0.0 for tests in (old, new)]
            found.append(
                {
                    "exercise": exercise,
                    "test": id,
                    "title": test.title,
                    "before": was,
                    "now": is_now,
                    "points": round(earned[1] - earned[0], 2),
                }
            )
    return found


def _tests(result: Result) -> dict[str, tuple[str, GradedTest]]:
    return {test.id: (e.id, test) for e in result.exercises for test in e.tests}


def _ended(found: tuple[str, GradedTest] | None, counts: bool) -> str:
    if found is None:
        return ABSENT
    kept = ", carried through" if found[1].carried_through else ""
    of = f", counts {found[1].max_points:g}" if counts else ""
    return f"{found[1].outcome}{kept}{of}"
