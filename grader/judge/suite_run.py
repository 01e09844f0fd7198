"""Runs an assignment's tests against a submission, some of them again with substitutes.

A test may have failed because of an earlier exercise: it runs again with a substitute for that one.
"""

from __future__ import annotations

from collections.abc import Callable, Collection
from contextlib import AbstractContextManager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Protocol

from grader.checking import session, suite
from grader.checking.exercise import ExerciseMark
from grader.checking.session import PASSED, TestResult
from grader.course.course import Assignment
from grader.notebook.collect import Collected
from grader.notebook.refused import decided
from grader.seam import Student, StudentError
from grader.seam.facade import Backend

from . import substitutes
from .workers.load import Load


class Worker(Backend, Protocol):
    """A backend that also says how it was isolated."""

    @property
    def isolation(self) -> dict[str, Any]:
        """`{"tier": "A", "layers": {…}}` of the worker that answered."""
        ...

    @property
    def printed(self) -> str:
        """The beginning of what the submission wrote to stdout and stderr."""
        ...

    def clock(self) -> float:
        """Seconds of CPU time that the worker has used, counted from an arbitrary start."""
        ...

    @property
    def unloadable(self) -> StudentError | None:
        """Why these statements cannot be loaded, if a worker hung or died loading them."""
        ...


OpenWorker = Callable[[Load], AbstractContextManager[Worker]]


@dataclass(frozen=True)
class Submitted:
    """What a student handed in for an assignment, and how much of it is graded."""

    assignment: Assignment
    data: bytes  # of the notebook
    files: dict[str, bytes] = field(default_factory=dict)  # beside it
    only: Collection[str] | None = None  # just these exercises
    public_only: bool = False  # without the hidden tests


def suite_files(assignment: Assignment, public_only: bool = False) -> list[Path]:
    """The public tests, then the hidden suite in exercise order."""
    return [*assignment.public_tests, *([] if public_only else assignment.hidden_tests())]


def proofread(assignment: Assignment) -> None:
    """Raises SuiteError if some test or substitute cannot run, whatever the submission."""
    for path in suite_files(assignment):
        suite.proofread(path)
    substitutes.proofread(assignment)


@dataclass(frozen=True)
class SuiteRun:
    """The suite's results for a submission, and facts about the worker it ran in."""

    tests: list[TestResult]
    passed_with: dict[str, list[str]]  # test → what was substituted when it passed
    isolation: dict[str, Any]
    printed: str
    unloadable: StudentError | None  # why nothing could be loaded


def run(
    submitted: Submitted, collected: Collected, load: Load, open_worker: OpenWorker
) -> SuiteRun:
    """Run the suite, then rerun tests that may have failed because of an earlier mistake."""
    assignment = submitted.assignment
    verdicts = decided(assignment, collected)

    def tested(
        worker: Worker,
        only: Collection[str] | None = None,
        exercises: Collection[str] | None = None,
    ) -> list[TestResult]:
        return session.run(
            assignment,
            Student(worker),
            verdicts=verdicts,
            files=suite_files(assignment, submitted.public_only),
            handed_in=submitted.files,
            only=only,
            exercises=exercises,
        )

    with open_worker(load) as worker:
        tests = tested(worker, exercises=submitted.only)
        done = SuiteRun(tests, {}, worker.isolation, worker.printed, worker.unloadable)
    if done.unloadable is not None:
        return done
    for broken, ids in _rerun_groups(assignment, collected, tests, verdicts).items():
        replaced = substitutes.sources(assignment, broken)
        with open_worker(replace(load, substitutes=replaced)) as worker:
            again = tested(worker, only=ids)
        done.passed_with.update({test.id: list(broken) for test in again if test.outcome == PASSED})
    return done


def _rerun_groups(
    assignment: Assignment,
    collected: Collected,
    tests: list[TestResult],
    verdicts: dict[str, StudentError],
) -> dict[tuple[str, ...], list[str]]:
    """Failed tests that depend on something with failures, grouped by what that is.

    That is other exercises, and names of the same exercise that come before (the mark's `after`).
    Exercises with a verdict and exercises that are not written are left out.
    """
    failed = [test.mark for test in tests if test.outcome != PASSED]
    failing = {mark.exercise for mark in failed}
    groups: dict[tuple[str, ...], list[str]] = {}
    for test in tests:
        exercise = assignment.exercise(test.mark.exercise)
        broken = tuple(id for id in assignment.upstream(exercise) if id in failing)
        if any(_is_earlier(mark, test.mark) for mark in failed):
            broken += test.mark.after
        written = not set(exercise.names) <= collected.unwritten
        if test.outcome != PASSED and broken and written and exercise.id not in verdicts:
            groups.setdefault(broken, []).append(test.id)
    return groups


def _is_earlier(mark: ExerciseMark, other: ExerciseMark) -> bool:
    """Whether a test is about what another test of the same exercise builds on."""
    return mark.exercise == other.exercise and set(mark.after) < set(other.after)
