"""Error messages of the results store: one sentence each, with what to do."""

import datetime
import shlex
from pathlib import Path

from ...course.course import Course
from ...course.course_file import CourseError
from ...course.problem import Problem
from ..lateness import written


class GradebookError(Problem):
    """The store cannot be read or written; one sentence. Rows written before are safe."""

    exit_code = 4


def damaged(where: str | Path, text: str) -> str:
    """The message for a file that exists but cannot be read."""
    path = Path(where)
    told = f"{where} is damaged, or not a gradebook of this course ({text}); nothing was changed: "
    if copy_of(path).exists():
        return f"{told}{_back(path)}"
    return (
        f"{told}restore a backup, or move it away, grade again and pass your files of marks with "
        "--manual"
    )


def missing(path: Path) -> str:
    """The message for a file that is gone while its copy is there."""
    return (
        f"{path} is missing; nothing was changed: to begin anew, move {copy_of(path)} away; "
        f"{_back(path)}"
    )


def _back(path: Path) -> str:
    seconds = copy_of(path).stat().st_mtime
    saved = written(datetime.datetime.fromtimestamp(seconds, datetime.timezone.utc), _zone())
    return f"{copy_of(path)} is a copy of {saved}; to go back to it: {_restoring(path)}"


def _zone() -> datetime.tzinfo:
    """That of the course, if there is one here."""
    try:
        return Course.here().facts.zone
    except CourseError:
        return datetime.timezone.utc


def foreign(where: str, tables: list[str]) -> str:
    """The message for a database that another program made."""
    names = f"{', '.join(sorted(tables)[:3])}{' …' if len(tables) > 3 else ''}"
    return (
        f"{where} is a database of another program, or of an older version of this one (tables "
        f"{names}); nothing was changed: give another folder with --out, or another database with "
        "--store"
    )


def sentence(error: Exception, where: str, wait_seconds: float) -> str:
    """The message for a database error."""
    cause = getattr(error, "orig", None) or getattr(error, "strerror", None) or error
    text = str(cause).strip().splitlines()[0]  # without a path, whose words could mislead
    safe = "everything stored before is safe"
    if "is locked" in text or "is busy" in text:
        return (
            f"the gradebook {where} was in use by another program for more than "
            f"{wait_seconds:g} s; end that program and run again, {safe}"
        )
    if "is full" in text or "No space left" in text:
        return f"no space left for the gradebook {where}; free some and run again, {safe}"
    if "not a database" in text or "malformed" in text:
        return damaged(where, text)
    if isinstance(error, ImportError):
        return f"the gradebook {where} needs a driver that is not installed: {text}"
    if any(sign in text for sign in ("refused", "could not connect", "connection failed")):
        return f"the gradebook {where} cannot be reached ({text}); start it, or correct the URL"
    if any(
        sign in text
        for sign in ("readonly", "unable to open", "directory", "File exists", "denied")
    ):
        return f"the gradebook {where} cannot be written here ({text}); give a writable folder"
    return f"the gradebook {where} cannot be used: {text}; {safe}"


def copy_of(database: Path) -> Path:
    """Where the copy of a store is: `results.db.backup` beside `results.db`."""
    return database.with_name(f"{database.name}.backup")


def _restoring(database: Path) -> str:
    """The command that puts a damaged store aside and the copy in its place."""
    copy = copy_of(database)
    aside = database.with_name("damaged")
    number = 2
    while aside.exists():
        aside, number = database.with_name(f"damaged-{number}"), number + 1
    folder, old = shlex.quote(str(aside)), shlex.quote(str(database))
    # the files beside it hold its last changes, which do not fit the copy
    return (
        f"mkdir {folder} && mv {old}* {folder}/ && cp {shlex.quote(str(aside / copy.name))} {old}"
    )
