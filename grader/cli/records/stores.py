"""Which results store a command uses: the file in its folder, or a database given by URL."""

from pathlib import Path

from ...gradebook import stored_roster
from ...gradebook.database.connection import file_of, shown
from ...gradebook.database.errors import GradebookError, copy_of
from ...gradebook.store import Store
from ..output import UsageProblem, warn


def store(out: Path, url: str | None) -> Store:
    """The store of a command, not open yet."""
    return Store(url or out / "results.db")


def is_there(out: Path, url: str | None) -> bool:
    """Whether there is a store, or at least the copy of a file: opening makes no new one."""
    path = file_of(url or str(out / "results.db"))
    return path is None or path.exists() or copy_of(path).exists()


def existing(out: Path, url: str | None) -> Store:
    """The same, for a command that grades nothing. Raises UsageProblem if it is not there."""
    if not is_there(out, url):
        if url:
            raise UsageProblem(
                f"{shown(url)}: there is no such database: correct --store or COURSE_STORE, or "
                "grade into it first"
            )
        raise UsageProblem(f"{out}: no results here; run `course grade SUBMISSIONS --out {out}`")
    return store(out, url)


def check_filled(store: Store) -> None:
    """Raises UsageProblem if the open store has no result: files of a class must not become empty.

    The usual reason is the address of another database.
    """
    if store.is_empty():
        raise UsageProblem(
            f"{store.where}: holds no result yet: correct --out, --store or COURSE_STORE, or run "
            "`course grade SUBMISSIONS` first"
        )


def back_up(store: Store) -> None:
    """Renew the copy of the store; if that fails, say so: the results themselves are stored."""
    try:
        store.back_up()
    except GradebookError as error:
        warn(error)


def nothing_for(store: Store, student: str, assignment: str) -> str:
    """The message that a student has no result, with why, or with those who have one."""
    roster = stored_roster.read(store)
    if student in roster.students:
        excused = roster.terms(student, assignment).excused
        why = "is excused from it" if excused else "has handed in nothing that was graded here"
        return f"{student} has no result of {assignment}: {student} {why}"
    students = sorted({result.student for result in store.latest(assignment)})
    if not students:
        return f"{store.where} has no result of {assignment}: grade it first"
    names = f"{', '.join(students[:12])}{' …' if students[12:] else ''}"
    return f"{student} has no result of {assignment}; these have: {names}"
