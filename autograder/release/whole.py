"""Checks that course.toml, the library and the tests fit together, before anything is built."""

from __future__ import annotations

import re
from pathlib import Path

from course_lib.course.syllabus import ROOT, Assignment, Syllabus, public_tests

from .components import BuildError, Component

_MARK = re.compile(r"@exercise\(\s*[\"']([\d.]+)[\"']")


def check(syllabus: Syllabus) -> None:
    """Raises BuildError for a component that does not exist, or an exercise without a test."""
    for reference in syllabus.course.reserved:
        _require(reference, "`reserved`")
    for assignment in syllabus.assignments:
        for exercise in assignment.exercises:
            for reference in exercise.components:
                _require(reference, f"exercise {exercise.id}")
        if untested := _untested(assignment):
            raise BuildError(
                f'no test is marked @exercise("{untested[0]}"), so everybody would get 0 of its '
                f"points: write one in autograder/suites/{assignment.id}"
            )


def _require(reference: str, where: str) -> None:
    try:
        Component.parse(reference).source  # noqa: B018, reading it is the check
    except BuildError as error:
        raise BuildError(f"course.toml, {where}: {error}") from None


def _untested(assignment: Assignment) -> list[str]:
    """Code exercises without any test, hidden or visible."""
    hidden = (ROOT / "autograder" / "suites" / assignment.id).glob("test_*.py")
    files: list[Path] = [*hidden, *public_tests(assignment.id)]
    tested = {id for path in files for id in _MARK.findall(path.read_text(encoding="utf-8"))}
    return [e.id for e in assignment.exercises if e.kind == "code" and e.id not in tested]
