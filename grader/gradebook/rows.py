"""Reads the results in the results store."""

import gc
import json
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from sqlalchemy import Connection, Select, func, select

from ..classroom.csv_file import plain
from ..classroom.receipt import Receipt
from .database.schema import moved, results
from .database.schema import students as class_list
from .lateness import moment
from .result import Result, key_of


def of(
    connection: Connection, student: str, assignment: str, limit: int | None = None
) -> list[Result]:
    """Results of one student and assignment, newest first."""
    query = results.select().order_by(results.c.id.desc()).limit(limit)
    query = query.where(
        results.c.student == plain_text(student),
        results.c.assignment == assignment,
        results.c.id.not_in(_moved()),
    )
    return [Result.read(row.result) for row in connection.execute(query)]


def newest(
    connection: Connection, assignment: str | None = None, also_left: bool = False
) -> list[Result]:
    """The newest result of each student and assignment, sorted by these.

    Those of whoever has left the class only if they are asked for.
    """
    ids = select(func.max(results.c.id)).group_by(results.c.student, results.c.assignment)
    query = results.select().where(results.c.id.in_(ids), results.c.id.not_in(_moved()))
    if not also_left:
        query = query.where(results.c.student.not_in(_left()))
    if assignment is not None:
        query = query.where(results.c.assignment == assignment)
    with _uncollected():
        found = [Result.read(row.result) for row in connection.execute(query)]
    return sorted(found, key=lambda r: (r.student, r.assignment))  # each database sorts differently


def last(connection: Connection, student: str, assignment: str) -> int:
    """The id of the newest result of one student and assignment; 0 if there is none."""
    query = select(func.max(results.c.id)).where(
        results.c.student == plain_text(student), results.c.assignment == assignment
    )
    return connection.scalar(query) or 0


def append(connection: Connection, result: Result) -> None:
    """Add a row for a result."""
    values = {name: plain_text(value) for name, value in key_of(result)._asdict().items()}
    values |= {"graded_at": result.graded_at, "result": json.dumps(result.as_json())}
    connection.execute(results.insert().values(**values))


def left(connection: Connection) -> set[str]:
    """The students who have left the class."""
    return {*connection.scalars(_left())}


def _left() -> Select[tuple[str]]:
    ids = select(func.max(class_list.c.id)).group_by(class_list.c.student)
    return select(class_list.c.student).where(
        class_list.c.id.in_(ids), class_list.c.cells.is_(None)
    )


def _moved() -> Select[tuple[int]]:
    """The results that are another student's now."""
    same = (results.c.student == moved.c.student) & (results.c.assignment == moved.c.assignment)
    return select(results.c.id).join(moved, same & (results.c.id <= moved.c.last))


def students(connection: Connection) -> set[str]:
    """Everybody who has a result."""
    return {*connection.scalars(select(results.c.student).distinct())}


def receipts(connection: Connection, student: str, assignment: str, sha256: str) -> list[Receipt]:
    """The times of receipt stored for exactly these bytes, oldest row first."""
    query = select(results.c.result).order_by(results.c.id)
    query = query.where(
        results.c.student == plain_text(student),
        results.c.assignment == assignment,
        results.c.submission_sha256 == sha256,
    )
    found = [json.loads(text)["submission"] for text in connection.scalars(query)]
    return [
        Receipt(moment(facts["received"]), facts.get("received_from", ""))
        for facts in found
        if facts.get("received")
    ]


@contextmanager
def _uncollected() -> Iterator[None]:
    """No garbage collection: a class has 100,000 records without cycles, and scanning is slow."""
    before = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if before:
            gc.enable()


def plain_text(value: Any) -> Any:
    """Text that a database accepts: a folder's name need not be valid Unicode."""
    if isinstance(value, str):
        return plain(value).replace("\0", "\\x00")
    return value
