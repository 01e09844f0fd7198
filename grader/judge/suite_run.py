"""Runs an assignment's tests against a submission, without any right form; see `reruns`."""

from collections.abc import Callable, Collection
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Protocol

from grader.checking import session, suite
from grader.checking.findings import right_form
from grader.checking.session import TestResult
from grader.course.assignment import Assignment
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
    """A student's submission for an assignment, and how much of it is graded."""

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
    isolation: dict[str, Any]
    printed: str
    unloadable: StudentError | None  # why nothing could be loaded


def run(
    submitted: Submitted,
    load: Load,
    verdicts: dict[str, StudentError],
    open_worker: OpenWorker,
) -> SuiteRun:
    """Run the suite once."""
    with open_worker(load) as worker:
        tests = results(submitted, worker, verdicts)
        return SuiteRun(tests, worker.isolation, worker.printed, worker.unloadable)


def results(
    submitted: Submitted,
    worker: Worker,
    verdicts: dict[str, StudentError],
    only: Collection[str] | None = None,
) -> list[TestResult]:
    """The results of the suite in a worker, restricted to the test ids `only` if given."""
    return session.run(
        submitted.assignment,
        Student(worker),
        verdicts=verdicts,
        files=suite_files(submitted.assignment, submitted.public_only),
        handed_in=submitted.files,
        only=only,
        exercises=submitted.only if only is None else None,
        strict=False,
        right=right_form.answers(submitted.assignment),
    )
