"""Claims about the grade of a known submission; each returns "" or a sentence on what is wrong."""

from __future__ import annotations

from collections.abc import Collection

from grader.checking.session import PASSED, TestResult
from grader.course.mistakes import Bug

from ...gradebook.exercise_result import GradedTest
from ...gradebook.result import Result


def everything(result: Result) -> str:
    """A correct submission gets every automatic point and passes every test that ran."""
    if failed := failing(result):
        return "; ".join(f"{id}: {test.message}" for id, test in failed.items())
    # the demonstration and other tests cover trained models
    lost = [
        f"{entry.id} has {entry.points} of {entry.max_points}"
        for entry in result.exercises
        if entry.kind == "code" and entry.points != entry.max_points
    ]
    if lost or result.outcome != "GRADED":
        return "; ".join(lost) or f"{result.outcome}: {result.reason}"
    return ""


def nothing(result: Result, broken: Collection[str] = ()) -> str:
    """A starter gets no points and a notice that nothing is written.

    `broken` are exercises that it hands out with a mistake, to be repaired: they are written.
    """
    if result.totals.total:
        return f"it has {result.totals.total} points"
    statuses = {entry.status for entry in result.exercises if entry.id not in broken}
    if not statuses <= {"not written", "pending"}:
        return f"exercises have the statuses {', '.join(sorted(statuses))}"
    noted = bool(broken) or any("nothing is written" in notice for notice in result.notices)
    return "" if noted else "no notice says that nothing is written"


def caught(result: Result, bug: Bug) -> str:
    """A named bug fails some test of its exercise, which names it and no other one.

    Mistakes that no test tells apart are named together, each with its sentence.
    """
    failed = [
        test for id, test in failing(result).items() if exercise_of(result, id) == bug.exercise
    ]
    if not failed:
        return "it passes every test of its exercise"
    named = {test.bug: test.bug_title for test in failed if test.bug}
    if not any(bug.sentence in title for title in named.values()):
        return f"it is not named, but {[test.message for test in failed]}"
    others = [id for id, title in named.items() if bug.sentence not in title]
    return f"another mistake is named: {sorted(others)}" if others else ""


def caught_by(tests: list[TestResult]) -> str:
    """Some of the tests that catch a bug under the release's seed catch it under another, too."""
    return "" if any(test.outcome != PASSED for test in tests) else "all tests pass"


def contained(result: Result, allowed: Collection[str]) -> str:
    """A bug fails nothing outside the exercises that depend on it."""
    strays = [id for id in failing(result) if exercise_of(result, id) not in allowed]
    return f"fails what does not depend on it: {strays}" if strays else ""


def failing(result: Result) -> dict[str, GradedTest]:
    """Failed tests by id, including those whose points were carried through."""
    return {test.id: test for test in result.tests if test.outcome != "PASSED"}


def exercise_of(result: Result, test_id: str) -> str:
    """The exercise that a test of this result belongs to."""
    return next(e.id for e in result.exercises for test in e.tests if test.id == test_id)
