"""Runs an assignment's tests on a saved notebook, whose code is in a process of its own."""

from __future__ import annotations

import sys
from dataclasses import dataclass, field
from pathlib import Path

from ..checking import session
from ..checking.faults import SuiteError
from ..checking.messages import Message
from ..checking.session import TestResult
from ..notebook.collect import decided
from ..seam import Student, StudentError
from . import model_trial
from .notebook_process import NotebookProcess
from .problem import Problem, reason
from .work import Work

SECONDS = 60.0  # for one call; right answers take far less than one
START_SECONDS = 300.0  # to import libraries and load the definitions


@dataclass
class Run:
    """What all tests of a notebook found, in their order."""

    tests: list[TestResult] = field(default_factory=list)

    def of(self, exercise: str) -> list[tuple[str, Message | None]]:
        """Title and message (None = passed) of each test of an exercise."""
        return [(t.mark.title, t.message) for t in self.tests if t.mark.exercise == exercise]

    def passes(self, exercise: str) -> bool:
        found = self.of(exercise)
        return bool(found) and all(message is None for _, message in found)


def run(
    work: Work,
    hidden: Path | None = None,
    model: bool = False,
    seconds: float = SECONDS,
    start_seconds: float = START_SECONDS,
) -> Run:
    """Run the visible tests, and those in the folder `hidden`. Raises Problem.

    `model`: try the trained model beside the notebook, too. `seconds`: for one call;
    `start_seconds`: until the definitions are loaded.
    """
    assignment = work.assignment
    if not assignment.public_tests:
        raise Problem(f"{assignment.folder}: there are no visible tests")
    if hidden:
        sys.path.insert(0, str(hidden.parents[1]))  # they import the hidden package
    with NotebookProcess(work, seconds, start_seconds) as process:
        try:
            process.start()
        except StudentError as error:
            raise Problem(
                f"{work.path}: its definitions cannot be loaded ({error.message}): look for "
                "a loop, `input()` or `exit()` in the cells that define functions"
            ) from None
        try:
            tests = session.run(
                assignment,
                Student(process),
                files=[
                    *assignment.public_tests,
                    *(assignment.hidden_tests(hidden) if hidden else []),
                ],
                verdicts=decided(assignment, work.collected),
                handed_in={name: path.read_bytes() for name, path in work.files.items()},
                strict=False,
            )
        except SuiteError as error:
            raise Problem(reason(str(error))) from None
        return Run([*tests, *([model_trial.result(Student(process), assignment)] if model else [])])
