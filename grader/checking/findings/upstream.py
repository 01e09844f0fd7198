"""Says which earlier exercise to repair before one that fails and builds on it."""

from collections.abc import Callable, Sequence

from ...course.assignment import Assignment
from ...course.exercise import Exercise
from ...seam.errors import NOT_WRITTEN
from ..session import TestResult


def to_repair(
    assignment: Assignment, exercise: Exercise, checked: Callable[[Exercise], Sequence[TestResult]]
) -> str:
    """One sentence on the first failing exercises below a failing one; "" if there are none.

    `checked` gives the results of an exercise's own checks.
    """
    wrong = dict[str, bool]()  # whether it is written
    for id in assignment.upstream(exercise):
        below = assignment.exercise(id)
        if wrong.keys().isdisjoint(assignment.upstream(below)):
            failed = [result.outcome for result in checked(below) if result.message]
            if failed:
                wrong[id] = set(failed) != {NOT_WRITTEN}
    failing = [id for id, written in wrong.items() if written]
    open_ones = [id for id, written in wrong.items() if not written]
    said = [f"{_listed(failing, 'fails', 'fail')}: repair {_them(failing)} first"]
    said += [f"{_listed(open_ones, 'is', 'are')} not written yet: write {_them(open_ones)} first"]
    return "; ".join(text for text, ids in zip(said, (failing, open_ones), strict=True) if ids)


def _listed(ids: list[str], one: str, several: str) -> str:
    *others, last = ids or [""]
    return f"{', '.join(others)} and {last} {several}" if others else f"{last} {one}"


def _them(ids: list[str]) -> str:
    return "them" if len(ids) > 1 else "it"
