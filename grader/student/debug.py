"""`student debug`: the course's checklist on one's own model."""

import contextlib
import io
from pathlib import Path
from typing import Any

from ..course.course import Course
from ..course.course_file import CourseError, imported
from ..course.exercise import Checklist
from ..course.problem import Problem
from ..notebook import written_answers
from ..seam import Student, StudentError
from ..seam.executor import Executor, LocalBackend
from ..seam.facade import Backend
from . import tree, work
from .work import Work


def of_notebook(given: Path) -> list[Any]:
    """The checks of the model that a notebook defines; it may be given as `a3`. Raises Problem."""
    found, checklist = _read(given)
    try:
        with contextlib.redirect_stdout(io.StringIO()):
            return _run_checklist(found, checklist, LocalBackend(Executor(*work.loaded(found))))
    except StudentError as error:
        exercises = [e.id for e in found.assignment.exercises]
        last = next(e.id for e in found.assignment.exercises if checklist.model in e.names)
        where = f", {error.where}" if error.where else ""
        raise Problem(
            f"{given}: {checklist.model} cannot be run ({error.kind}: {error.message}{where}); "
            f"write exercises {exercises[0]} to {last} first, or fix this error"
        ) from None


def of_known_faults(seed: int = 0) -> dict[str, list[Any]]:
    """The checks of models with one known fault each, by fault. Raises Problem."""
    try:
        checked = Course.here().plugin("known_faults")
    except CourseError as error:
        if not isinstance(error.__cause__, ModuleNotFoundError):
            raise
        raise Problem(
            "this course folder has no models to diagnose yet: they come with a later assignment"
        ) from None
    if checked is None:
        raise Problem("this course shows no models with known faults: give a notebook")
    found: dict[str, list[Any]] = checked(seed)
    return found


def _read(given: Path) -> tuple[Work, Checklist]:
    """The notebook as that of the assignment it looks like. Raises Problem if that has no list."""
    course = Course.here()
    listed = {a.id: a.checklist for a in course.assignments if a.checklist}
    if not listed:
        raise Problem("this course has no checklists")
    if str(given) in listed and not given.exists():
        given = tree.notebook(course.assignment(str(given)))
    found = work.read(course.assignment(next(iter(listed))), given)
    other = written_answers.looks_like(course, found.assignment, found.collected)
    if other and other not in listed:
        models = " and ".join(
            f"the {checklist.model} of assignment {id}" for id, checklist in listed.items()
        )
        raise Problem(
            f"{given}: this looks like the notebook of assignment {other}; there are checklists "
            f"for {models}"
        )
    found = work.read(course.assignment(other), given) if other else found
    return found, listed[found.assignment.id]


def _run_checklist(found: Work, checklist: Checklist, backend: Backend) -> list[Any]:
    """The checklist for functions that are loaded already. Raises StudentError."""
    written = [name for name in checklist.functions if name not in found.collected.unwritten]
    functions = ", ".join(f"{name!r}: student.get({name!r})" for name in written)
    student = Student(backend)
    student.begin()
    getattr(student, checklist.model).get()  # raises StudentError if it is missing
    module, _, function = checklist.checks.partition(":")
    made: list[dict[str, Any]] = student.make(
        f"__import__({module!r}, fromlist=[{function!r}]).{function}"
        f"(student[{checklist.model!r}], {{{functions}}})"
    ).get()
    check = imported("[assignments.checklist] checks", f"{module}:Check")
    return [check(**line) for line in made]
