"""Checks that the course's files, the library, tests and bugs fit together, before a build."""

import contextlib
import importlib.util
from collections.abc import Iterator
from functools import partial
from pathlib import Path

from grader.checking.faults import SuiteError
from grader.checking.suite import proofread, read_tests
from grader.course import mistakes
from grader.course.assignment import Assignment
from grader.course.course import Course
from grader.course.course_file import place_in, shown
from grader.course.lab import Lab
from grader.course.record import files
from grader.course.tree import FILE

from ..judge import substitutes
from ..library.components import BuildError, Component, SourceError
from .views import hints

_MOST = 12  # problems told at once


def check(course: Course) -> None:
    """Raises BuildError: one sentence, with file and line, for each thing that does not fit.

    A component's file that is not Python is reported alone.
    """
    found = list(dict.fromkeys(_problems(course)))
    if found[_MOST:]:
        found = [*found[:_MOST], f"and {len(found) - _MOST} more problems of this kind"]
    if found:
        raise BuildError("\n".join(found))


def check_components(course: Course) -> None:
    """Raises BuildError for components that do not exist, as `check` does, without the rest."""
    if found := list(_lacking(course)):
        raise BuildError("\n".join(found))


def _lacking(course: Course) -> Iterator[str]:
    for reference in course.facts.reserved:
        if why := _missing(reference):
            yield f"{place_in(course.root / FILE, 'course', 'reserved')}: `reserved`: {why}"
    for assignment in course.notebooks:
        for exercise in assignment.exercises:
            for reference in exercise.components:
                if why := _missing(reference):
                    where = place_in(assignment.record(exercise.id), "components")
                    yield f"{where}: exercise {exercise.id}: {why}"


def _problems(course: Course) -> Iterator[str]:
    for name in course.facts.extensions:
        if importlib.util.find_spec(name) is None:
            where = place_in(course.root / FILE, "course", "extensions")
            yield f"{where}: `extensions`: there is no package {name!r}: correct its name"
    yield from _lacking(course)
    yield from _unreadable(course)
    for assignment in course.notebooks:
        tested = {id for _, _, id in _marks(assignment)}
        for exercise in assignment.exercises:
            if exercise.kind == "code" and exercise.id not in tested:
                yield (
                    f"{shown(assignment.record(exercise.id))}: no test is "
                    f'marked @exercise("{exercise.id}"), so {_nobody_learns(assignment)}: '
                    f"write one in {shown(_folder_of_tests(assignment, exercise.id))}"
                )
    listed = {c for a in course.notebooks for e in a.exercises for c in e.components}
    for assignment in course.notebooks:
        known = [exercise.id for exercise in assignment.exercises]
        for path, line, id in _marks(assignment):
            if id not in known:
                yield (
                    f"{path}, line {line}: a test is marked for exercise {id}, which "
                    f"{assignment.id} does not have: correct the mark, or add the exercise"
                )
        bugs = mistakes.load(assignment)
        yield from _misnamed(assignment)
        for bug in bugs:
            if not (bug.component in listed and _missing(bug.component)):  # that is told already
                yield from _unfit(bug, assignment)
        if assignment in course.assignments:  # the exam and labs need no hints
            yield from hints.unfit(assignment)


def _nobody_learns(assignment: Assignment) -> str:
    if isinstance(assignment, Lab):
        return "no student would learn what is wrong"
    return "every student would get 0 of its points"


def _folder_of_tests(assignment: Assignment, exercise: str) -> Path:
    """Where the tests are that catch an exercise's mistakes: a lab has visible ones only."""
    if isinstance(assignment, Lab):
        return assignment.folder / "public_tests"
    return assignment.hidden_folder(exercise)


def _unreadable(course: Course) -> Iterator[str]:
    """Tests and substitutes that no submission could be graded with."""
    for assignment in course.notebooks:
        read = [partial(proofread, path) for path in _test_files(assignment)]
        for one in (*read, partial(substitutes.proofread, assignment)):
            try:
                one()
            except SuiteError as error:
                yield str(error)


def _missing(reference: str) -> str:
    """Why there is no such component, or "". Raises SourceError: no component of it can be read."""
    try:
        Component.parse(reference).source  # noqa: B018, reading it is the check
    except SourceError:
        raise
    except BuildError as error:
        return str(error)
    return ""


def _marks(assignment: Assignment) -> list[tuple[str, int, str]]:
    """File, line and exercise of each test, hidden or visible, of those that can be read."""
    found = list[tuple[str, int, str]]()
    for path in _test_files(assignment):
        with contextlib.suppress(SuiteError):  # `_unreadable` reports it
            for test in read_tests(path):
                line = test.function.__code__.co_firstlineno
                found.append((shown(path), line, test.mark.exercise))
    return found


def _test_files(assignment: Assignment) -> list[Path]:
    return [*assignment.hidden_tests(), *assignment.public_tests]


def _misnamed(assignment: Assignment) -> Iterator[str]:
    """Folders of no exercise."""
    for folder in sorted(assignment.hidden.glob(files.FOLDERS)):
        if not (folder / files.FILE).is_file():
            yield f"{shown(folder)}: there is no {files.FILE}, so it is not an exercise: add one"


def _unfit(bug: mistakes.Bug, assignment: Assignment) -> Iterator[str]:
    """References of a named bug to things that do not exist."""
    place = place_in(assignment.record(bug.exercise), *bug.place)
    if why := _missing(bug.component):
        yield f"{place}: {why}"
    else:
        try:
            bug.apply(Component.parse(bug.component).source)
        except mistakes.BugError as error:
            yield f"{place}: {error}; copy the line from there"
