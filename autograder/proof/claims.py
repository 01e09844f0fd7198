"""What must be true of the grade of a known submission; each claim is told "" or what is wrong."""

from __future__ import annotations

from collections.abc import Collection

from ..bugs import Bug
from ..gradebook.exercise_result import GradedTest
from ..gradebook.result import Result
from ..judge.session import TestResult


def everything(result: Result) -> str:
    """A correct submission has every automatic point, and passes every test that ran."""
    if failed := failing(result):
        return "; ".join(f"{id}: {test.message}" for id, test in failed.items())
    # a trained model is proven in the demonstration and in tests of its own
    lost = [
        f"{entry.id} has {entry.points} of {entry.max_points}"
        for entry in result.exercises
        if entry.kind == "code" and entry.points != entry.max_points
    ]
    if lost or result.outcome != "GRADED":
        return "; ".join(lost) or f"{result.outcome}: {result.reason}"
    return ""


def nothing(result: Result) -> str:
    """A starter has no point, and is told that nothing is written."""
    if result.totals.total:
        return f"it has {result.totals.total} points"
    statuses = {entry.status for entry in result.exercises}
    if not statuses <= {"not written", "pending"}:
        return f"exercises are called {', '.join(sorted(statuses))}"
    told = any("nothing is written" in notice for notice in result.notices)
    return "" if told else "no notice says that nothing is written"


def caught(result: Result, bug: Bug) -> str:
    """A named bug fails the test that names it, its exercise shows the hint, and no other is named.

    The hint may be advice. It is not shown where a cause has been found elsewhere in the exercise,
    so some failing test must show it.
    """
    failed = failing(result)
    if bug.test not in failed:
        return f"{bug.test} passes; failed instead: {list(failed)}"
    own = [test for id, test in failed.items() if exercise_of(result, id) == bug.exercise]
    if not any(test.message and bug.hint in test.message.cause for test in own):
        return f"its hint is not shown but {[test.message for test in own]}"
    others = {test.bug for test in own if test.bug} - {bug.name}
    return f"another mistake is named: {sorted(others)}" if others else ""


def caught_by(tests: list[TestResult], bug: Bug) -> str:
    """The one test that names a bug fails, with its hint."""
    test = next((test for test in tests if test.id == bug.test), None)
    if test is None or test.message is None:
        return f"{bug.test} passes" if test else f"there is no test {bug.test}"
    if bug.hint not in test.message.cause:
        return f"{bug.test} does not give its hint but {test.message}"
    return ""


def contained(result: Result, allowed: Collection[str]) -> str:
    """A mistake fails nothing outside the exercises that rest on it."""
    strays = [id for id in failing(result) if exercise_of(result, id) not in allowed]
    return f"fails what does not depend on it: {strays}" if strays else ""


def failing(result: Result) -> dict[str, GradedTest]:
    """Failed tests by id, also those whose points were carried through."""
    return {test.id: test for test in result.tests if test.outcome != "PASSED"}


def exercise_of(result: Result, test_id: str) -> str:
    """The exercise that a test of this result belongs to."""
    return next(e.id for e in result.exercises for test in e.tests if test.id == test_id)
