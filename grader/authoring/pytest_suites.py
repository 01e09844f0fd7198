"""A pytest plugin: the suites of a course, hidden and visible, run on a submission.

    pytest autograder/a2 --submission NOTEBOOK_OR_FOLDER     the hidden tests, in the sandbox
    pytest assignments/a2 --submission NOTEBOOK_OR_FOLDER    the visible ones

Without a submission it is the course's own solution. Each test is an item with its title; it passes
where `course grade` gives its points. Exercises are markers: `-m exercise_2_3`. A file that is no
suite of a course is left to pytest.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from grader.course.course_file import CourseError
from grader.course.tree import FILE

if TYPE_CHECKING:
    from grader.checking.suite import Test
    from grader.course.assignment import Assignment
    from grader.course.course import Course

    from ..gradebook.exercise_result import ExerciseResult, GradedTest

OPTION = "--submission"


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.getgroup("course").addoption(
        OPTION, type=Path, help="the notebook, or its folder, that a course's suites run on"
    )


@pytest.hookimpl(tryfirst=True)
def pytest_pycollect_makemodule(module_path: Path, parent: pytest.Collector) -> Any:
    """A suite in place of a module of pytest's own tests."""
    return _suite(module_path, parent)


def pytest_collect_file(file_path: Path, parent: pytest.Collector) -> Any:
    """A suite whose file has a name that pytest does not look for, as visible tests have."""
    patterns = parent.config.getini("python_files")
    if file_path.suffix == ".py" and not any(map(file_path.match, patterns)):
        return _suite(file_path, parent)
    return None


def _suite(path: Path, parent: pytest.Collector) -> Suite | None:
    """The file as a suite of the course around it; None if it is none."""
    from grader.checking.findings import right_form

    of_one = path.parent.name.startswith(("public_tests", "exercise_"))
    if not of_one and not (path.parent / right_form.FILE).is_file():
        return None
    root = next((folder for folder in path.parents if (folder / FILE).is_file()), None)
    if root is None:
        return None
    course = _course(root)
    for assignment in course.graded:
        if path in (*assignment.public_tests, *assignment.hidden_tests()):
            found = Suite.from_parent(parent, path=path)
            found.course, found.assignment = course, assignment
            return found
    return None


def _course(root: Path) -> Course:
    from grader.course.course import Course

    try:
        return Course.load(root / FILE)
    except CourseError as error:
        raise pytest.UsageError(str(error)) from None


class Suite(pytest.File):
    """A file of hidden or visible tests."""

    course: Course
    assignment: Assignment

    def collect(self) -> Iterator[Item]:
        """Its tests. Raises CollectError for a suite that cannot be read."""
        from grader.checking.faults import SuiteError
        from grader.checking.suite import read_tests

        try:
            tests = read_tests(self.path)
        except SuiteError as error:
            raise self.CollectError(str(error)) from None
        for test in tests:
            item = Item.from_parent(self, name=test.id.rpartition("::")[2])
            item.test, item.suite = test, self
            marker = f"exercise_{test.mark.exercise.replace('.', '_')}"
            self.config.addinivalue_line("markers", f"{marker}: tests of this exercise")
            item.add_marker(marker)
            yield item


class Item(pytest.Item):
    """One test, whose outcome is that of the grade."""

    test: Test
    suite: Suite

    def runtest(self) -> None:
        """Raises NotPassed where the test has no points."""
        grades = self.config.stash.setdefault(_GRADES, Grades(self.session))
        entry = grades.of(self)
        (graded,) = (one for one in entry.tests if one.id == self.test.id)
        self.user_properties += [("points", graded.points), ("of", graded.max_points)]
        if graded.carried_through:
            self.add_report_section("call", "passes with", ", ".join(graded.caused_by))
        if graded.outcome != "PASSED" and not graded.carried_through:
            raise NotPassed(graded)

    def repr_failure(self, excinfo: pytest.ExceptionInfo[BaseException], style: Any = None) -> Any:
        if isinstance(excinfo.value, NotPassed):
            return excinfo.value.text
        return super().repr_failure(excinfo, style)

    def reportinfo(self) -> tuple[Path, int, str]:
        line = self.test.function.__code__.co_firstlineno
        return self.path, line, f"{self.test.mark.exercise} {self.test.mark.title}"


class NotPassed(Exception):
    """A test that has no points; `text` says why."""

    def __init__(self, graded: GradedTest):
        lines = [f"{graded.title} (0 of {graded.max_points:g} points): {graded.outcome.lower()}"]
        lines += [f"{label:13} {text}" for label, text in (graded.message or _none()).lines()]
        self.text = "\n".join(lines)
        super().__init__(self.text)


def _none() -> Any:
    from grader.checking.messages import Message

    return Message()


@dataclass
class Grades:
    """Grades the submission, each assignment and kind of tests once and in the sandbox."""

    session: pytest.Session
    workers: ExitStack = field(default_factory=ExitStack)
    found: dict[tuple[str, bool], dict[str, ExerciseResult]] = field(default_factory=dict)

    def of(self, item: Item) -> ExerciseResult:
        """The exercise's entry. The exercises of all chosen items are graded together."""
        assignment, public = item.suite.assignment, _is_public(item)
        key = (assignment.id, public)
        if key not in self.found:
            others = [one for one in self.session.items if isinstance(one, Item)]
            same = [one for one in others if one.suite.assignment is assignment]
            same = [one for one in same if _is_public(one) == public]
            only = sorted({one.test.mark.exercise for one in same})
            self.found[key] = self._graded(item.suite.course, assignment, only, public)
        return self.found[key][item.test.mark.exercise]

    def _graded(
        self, course: Course, assignment: Assignment, only: list[str], public: bool
    ) -> dict[str, ExerciseResult]:
        from ..grading import judge_process, warm_processes
        from ..judge import grade
        from ..judge.suite_run import Submitted

        try:
            data, files = submitted(assignment, self.session.config.getoption(OPTION))
        except pytest.UsageError as error:
            pytest.exit(str(error), pytest.ExitCode.USAGE_ERROR)
        warm = self.workers.enter_context(warm_processes.started(course, [assignment.id]))
        opened = judge_process.opener(warm[assignment.id], assignment)
        result = grade.once(Submitted(assignment, data, files, only, public), course, opened).result
        return {entry.id: entry for entry in result.exercises}


_GRADES = pytest.StashKey[Grades]()


def pytest_sessionfinish(session: pytest.Session) -> None:
    """End the workers."""
    if grades := session.config.stash.get(_GRADES, None):
        grades.workers.close()


def _is_public(item: Item) -> bool:
    return item.path in item.suite.assignment.public_tests


def submitted(assignment: Assignment, given: Path | None) -> tuple[bytes, dict[str, bytes]]:
    """The notebook and the files beside it. Raises UsageError if there is no such notebook."""
    from grader.course.submission_folder import found_files

    if given is None:
        hidden = assignment.hidden / "handed_in"
        names = [name for exercise in assignment.exercises for name in exercise.files]
        return assignment.solution.read_bytes(), {n: (hidden / n).read_bytes() for n in names}
    notebook = given
    if given.is_dir():
        notebooks = sorted(given.glob("*.ipynb"))
        named = [path for path in notebooks if path.stem == assignment.id]
        chosen = named or notebooks
        if len(chosen) != 1:
            found = ", ".join(path.name for path in chosen) or "none"
            raise pytest.UsageError(
                f"{OPTION} {given}: one notebook is expected there, and there is {found}: "
                "name the notebook"
            )
        (notebook,) = chosen
    if not notebook.is_file():
        raise pytest.UsageError(f"{OPTION} {given}: there is no such file: name a notebook")
    files = found_files(notebook.parent, assignment.files)
    return notebook.read_bytes(), {name: path.read_bytes() for name, path in files.items()}
