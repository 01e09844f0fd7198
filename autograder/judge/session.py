"""One trusted pytest session: a suite against one student, as plain results.

The student's code is behind the seam; this process holds the expected values.
"""

from __future__ import annotations

import contextlib
import io
import os
import zlib
from collections import Counter
from collections.abc import Collection
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from course_lib.checking.exercise import Mark, mark_of
from course_lib.checking.messages import Message, explain
from course_lib.seam import Student, StudentError
from course_lib.seam.errors import TIMEOUT
from course_lib.syllabus import ROOT, Assignment, public_tests

PASSED, FAILED = "PASSED", "FAILED"
MAX_TIMEOUTS = 2  # an exercise: after that its other tests are not waited for

_OFF = (
    "cacheprovider doctest faulthandler junitxml legacypath logging nose pastebin recwarn "
    "setuponly setupplan stepwise terminal threadexception tmpdir unittest unraisableexception "
    "warnings"
).split()


@dataclass(frozen=True)
class TestResult:
    """What one test said. `outcome` is PASSED, FAILED, or the seam's upper-case error kind."""

    __test__ = False

    id: str
    mark: Mark
    public: bool
    outcome: str
    message: Message | None
    seconds: float


def suite_files(assignment: Assignment, public_only: bool = False) -> list[Path]:
    """The public tests, then the hidden suite in exercise order."""
    if public_only:
        return public_tests(assignment.id)
    folder = ROOT / "autograder" / "suites" / assignment.id
    order = [exercise.id.replace(".", "_") for exercise in assignment.exercises]

    def position(path: Path) -> int:
        return order.index("_".join(path.stem.split("_")[1:3]))

    hidden = sorted(folder.glob("test_*.py"), key=position)
    return [*public_tests(assignment.id), *hidden]


def run(
    assignment: Assignment,
    student: Student,
    *,
    only: Collection[str] | None = None,
    exercises: Collection[str] | None = None,
    verdicts: dict[str, StudentError] | None = None,
    files: list[Path] | None = None,
    seed: int | None = None,
) -> list[TestResult]:
    """Run the suite; `only` keeps these test ids, `exercises` these exercises.

    `verdicts` are exercises that are decided beforehand; their tests do not run.

    Raises RuntimeError when the suite itself cannot be collected.
    """
    plugin = _Judge(assignment, student, only, exercises, verdicts or {}, seed)
    options = ["--import-mode=importlib", "--assert=plain", "--capture=no", "-c", os.devnull]
    options += [f"--rootdir={ROOT}", *(f"-pno:{name}" for name in _OFF)]
    paths = [str(path) for path in files or suite_files(assignment) if path.exists()]
    os.environ["PYTEST_DISABLE_PLUGIN_AUTOLOAD"] = "1"
    with contextlib.redirect_stdout(io.StringIO()):
        code = pytest.main([*options, *paths], plugins=[plugin])
    with contextlib.suppress(StudentError):  # the last test's rules end with it
        student.begin()
    if code not in (pytest.ExitCode.OK, pytest.ExitCode.TESTS_FAILED):
        if code == pytest.ExitCode.NO_TESTS_COLLECTED and not plugin.errors:
            return []
        raise RuntimeError(f"the suite of {assignment.id} does not run: {plugin.errors or code}")
    return plugin.results


class _Judge:
    """The pytest plugin: gives tests their fixtures and keeps what they say."""

    def __init__(
        self,
        assignment: Assignment,
        student: Student,
        only: Collection[str] | None,
        exercises: Collection[str] | None,
        verdicts: dict[str, StudentError],
        seed: int | None,
    ):
        self.assignment, self.facade = assignment, student
        self.only, self.exercises = only, exercises
        self.verdicts = verdicts
        self.seed = assignment.seed if seed is None else seed
        self.results: list[TestResult] = []
        self.errors: list[str] = []
        self.timeouts: Counter[str] = Counter()

    @pytest.fixture
    def student(self) -> Student:
        return self.facade

    @pytest.fixture
    def rng(self, request: pytest.FixtureRequest) -> np.random.Generator:
        """Fresh inputs, the same for everyone: seeded by the release and the test's own id."""
        return np.random.default_rng([self.seed, _number(_id(request.node))])

    def pytest_collectreport(self, report: pytest.CollectReport) -> None:
        if report.failed:
            self.errors.append(str(report.longrepr))

    def pytest_collection_modifyitems(self, items: list[pytest.Item]) -> None:
        for item in items:
            if mark_of(_function(item)) is None:
                raise RuntimeError(f"{item.nodeid} has no @exercise mark")
        items[:] = [
            item
            for item in items
            if (self.only is None or _id(item) in self.only)
            and (self.exercises is None or _mark(item).exercise in self.exercises)
        ]

    def pytest_runtest_call(self, item: pytest.Item) -> None:
        """Runs first, before the test's own body: rules, seeds, and what is already decided."""
        mark = _mark(item)
        if mark.exercise in self.verdicts:
            raise self.verdicts[mark.exercise]
        exercise = self.assignment.exercise(mark.exercise)
        for id in [*self.assignment.upstream(exercise), mark.exercise]:
            if self.timeouts[id] >= MAX_TIMEOUTS:
                why = f"not run: {MAX_TIMEOUTS} calls of exercise {id} took too long before"
                raise StudentError(TIMEOUT, why)
        self.facade.begin(
            seed=self.seed ^ _number(_id(item)), forbid=self.assignment.forbidden_in(exercise)
        )

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_makereport(self, item: pytest.Item, call: pytest.CallInfo[None]) -> Any:
        report = yield
        if call.when == "call" or (call.when == "setup" and call.excinfo):
            self._keep(item, call)
        return report

    def _keep(self, item: pytest.Item, call: pytest.CallInfo[None]) -> None:
        mark = _mark(item)
        error = call.excinfo.value if call.excinfo else None
        message = explain(error, _names(self.assignment, mark)) if error else None
        outcome = PASSED
        if error:
            special = isinstance(error, StudentError) and error.kind.isupper()
            outcome = error.kind if special else FAILED  # type: ignore[attr-defined]
        self.timeouts[mark.exercise] += outcome == TIMEOUT
        public = item.path.is_relative_to(ROOT / "assignments")
        self.results.append(TestResult(_id(item), mark, public, outcome, message, call.duration))


def _names(assignment: Assignment, mark: Mark) -> list[str]:
    return assignment.exercise(mark.exercise).names


def _id(item: pytest.Item) -> str:
    return f"{item.path.name}::{item.name}"


def _function(item: pytest.Item) -> Any:
    return item.function  # type: ignore[attr-defined]


def _mark(item: pytest.Item) -> Mark:
    mark = mark_of(_function(item))
    assert mark is not None  # collection has seen to it
    return mark


def _number(text: str) -> int:
    return zlib.crc32(text.encode())
