"""What differs between two results of one student and assignment: exercises, and tests."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .exercise_result import GradedTest
    from .result import Result

ABSENT = "no such test"


def by_exercise(before: Result, now: Result) -> dict[str, float]:
    """By how many points each exercise differs; those that do not are left out."""
    old = {e.id: e.points or 0.0 for e in before.exercises}
    new = {e.id: e.points or 0.0 for e in now.exercises}
    ids = list(dict.fromkeys([*new, *old]))
    differences = {id: round(new.get(id, 0.0) - old.get(id, 0.0), 2) for id in ids}
    return {id: difference for id, difference in differences.items() if difference}


def by_test(before: Result, now: Result) -> list[dict[str, Any]]:
    """Tests that ended differently: exercise, id, title, `before` and `now` in words, points.

    A test that only weighs more or less than before is left out.
    """
    old, new = _tests(before), _tests(now)
    found = []
    for id in dict.fromkeys([*new, *old]):
        exercise, test = new.get(id) or old[id]
        was, is_now = _ended(old.get(id)), _ended(new.get(id))
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


def _ended(found: tuple[str, GradedTest] | None) -> str:
    if found is None:
        return ABSENT
    kept = ", carried through" if found[1].carried_through else ""
    return f"{found[1].outcome}{kept}"
