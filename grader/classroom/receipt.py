"""When a submission came in, and which clock says so."""

from __future__ import annotations

import datetime
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from .csv_file import CsvFile, Row
from .times import with_zone

if TYPE_CHECKING:
    from grader.course.course import Course

LIST, CANVAS, FILE = "list", "canvas", "file"
# the clocks, and how a sentence names them
CLOCKS = {
    LIST: "by the instructor's list",
    "gradescope": "by Gradescope's record",
    "nbgrader": "by nbgrader's timestamp",
    "git": "by its newest commit",
    CANVAS: "by the date of the file (Canvas did not mark it late)",
    FILE: "by the date of the file",
}
COLUMNS = ["student", "assignment", "time"]
Handed = tuple[str, str]  # student, assignment


@dataclass(frozen=True)
class Receipt:
    """A time of receipt, and the clock that says so: one of CLOCKS, or "" if unknown."""

    time: datetime.datetime
    clock: str = ""

    @property
    def trust(self) -> int:
        """An instructor's list is trusted most, the date of a file least."""
        return 2 if self.clock == LIST else 0 if self.clock in (FILE, "") else 1


def settled(new: Receipt, known: Iterable[Receipt]) -> Receipt:
    """The time that counts for bytes read again, whose earlier times are `known`, oldest first.

    A clock counts over less trusted ones, whatever was read last, so that copying a folder changes
    nothing. Of equally trusted ones the new one counts, but the earlier of two dates of a file.
    """
    for old in known:
        if old.trust > new.trust or (old.trust == new.trust == 0 and old.time < new.time):
            new = old
    return new


def read(path: str | Path, course: Course) -> dict[Handed, Receipt]:
    """The times in an instructor's list: a CSV with the columns student, assignment, time.

    Raises CsvError, which lists every bad row.
    """
    rows = CsvFile.read(path, COLUMNS).each(lambda row: _row(row, course), _said)
    return dict(rows)


def _said(row: tuple[Handed, Receipt]) -> list[str]:
    return [f"the time of {row[0][0]}'s {row[0][1]} is"]


def _row(row: Row, course: Course) -> tuple[Handed, Receipt] | None:
    student, assignment, time = (row[column] for column in COLUMNS)
    if not any((student, assignment, time)):
        return None
    if not student:
        raise ValueError("no student: write the name that the submission comes under")
    try:
        course.assignment(assignment)
    except KeyError as error:
        raise ValueError(error.args[0]) from None
    return (student, assignment), Receipt(with_zone(time), LIST)
