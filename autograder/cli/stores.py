"""Which results store a command uses: the file in its folder, or a database given by URL."""

from __future__ import annotations

import sys
from pathlib import Path

from course_lib.course.syllabus import Syllabus

from ..gradebook.database_errors import GradebookError
from ..gradebook.store import Store
from .problems import UsageProblem


def store(out: Path, url: str | None) -> Store:
    """The store of a command, not open yet."""
    return Store(url or out / "results.db")


def existing(out: Path, url: str | None) -> Store:
    """The same. Raises UsageProblem if nothing was graded into the folder."""
    if not url and not (out / "results.db").exists():
        raise UsageProblem(f"{out}: no results here; run `course grade SUBMISSIONS --out {out}`")
    return store(out, url)


def back_up(store: Store) -> None:
    """Renew the copy of the store; if that fails, say so: the results themselves are stored."""
    try:
        store.back_up()
    except GradebookError as error:
        print(error, file=sys.stderr)


def known_assignment(id: str, course: Syllabus) -> str:
    """The same id. Raises UsageProblem if the course has no such assignment."""
    try:
        return course.assignment(id).id
    except KeyError as error:
        raise UsageProblem(error.args[0]) from None


def nothing_for(store: Store, student: str, assignment: str) -> str:
    """The message that a student has no result, with those who have one."""
    students = sorted({result.student for result in store.latest(assignment)})
    if not students:
        return f"{store.where} has no result of {assignment}: grade it first"
    names = f"{', '.join(students[:12])}{' …' if students[12:] else ''}"
    return f"{student} has no result of {assignment}; these have: {names}"
