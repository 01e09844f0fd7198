"""The tests that grade an assignment."""

from __future__ import annotations

from pathlib import Path

from grader.checking import suite
from grader.course.course import Assignment

from . import substitutes


def suite_files(assignment: Assignment, public_only: bool = False) -> list[Path]:
    """The public tests, then the hidden suite in exercise order."""
    return [*assignment.public_tests, *([] if public_only else assignment.hidden_tests())]


def proofread(assignment: Assignment) -> None:
    """Raises SuiteError if some test or substitute cannot run, whatever the submission."""
    for path in suite_files(assignment):
        suite.proofread(path)
    substitutes.proofread(assignment)
