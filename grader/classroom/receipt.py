"""When a submission came in, and which clock says so."""

import datetime
import re
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from grader.course.course import Course
from grader.course.course_facts import zoned

from .csv_file import CsvFile, Row

EXAMPLE = "2027-02-20 23:59"
LIST, CANVAS, CANVAS_LATE, FILE = "list", "canvas", "canvas-late", "file"
# the clocks, and how a sentence names them
CLOCKS = {
    LIST: "by the instructor's list",
    "gradescope": "by Gradescope's record",
    "nbgrader": "by nbgrader's timestamp",
    "git": "by its newest commit",
    CANVAS: "by the date of the file (Canvas did not mark it late)",
    CANVAS_LATE: "by the date of the file (Canvas marked it late)",
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
        return {LIST: 3, CANVAS_LATE: 1, FILE: 0, "": 0}.get(self.clock, 2)

    @property
    def copied(self) -> bool:
        """Whether the time is the date of a file, which copying may change."""
        return self.clock in (CANVAS, CANVAS_LATE, FILE, "")


def settled(new: Receipt, known: Iterable[Receipt]) -> Receipt:
    """The time that counts for bytes read again, whose earlier times are `known`, oldest first.

    A clock counts over less trusted ones, whatever was read last, so that copying a folder changes
    nothing. Of equally trusted ones the new one counts, but of two dates of a file the known one.
    """
    for old in known:
        if old.trust > new.trust or (old.trust == new.trust and old.copied):
            new = old
    return new


def read(path: str | Path, course: Course) -> dict[Handed, Receipt]:
    """The times in an instructor's list: a CSV with the columns student, assignment, time.

    Raises CsvError, which lists every bad row.
    """
    rows = CsvFile.read(path, COLUMNS).each(lambda row: _row(row, course), _unique)
    return dict(rows)


def _unique(row: tuple[Handed, Receipt]) -> list[str]:
    return [f"the time of {row[0][0]}'s {row[0][1]} is"]


def _row(row: Row, course: Course) -> tuple[Handed, Receipt] | None:
    student, assignment, time = (row[column] for column in COLUMNS)
    if not any((student, assignment, time)):
        return None
    if not student:
        raise ValueError("no student: write the name of the submission")
    try:
        course.assignment(assignment)
    except KeyError as error:
        raise ValueError(error.args[0]) from None
    return (student, assignment), Receipt(with_zone(time, course.facts.zone), LIST)


def with_zone(text: str, zone: datetime.tzinfo) -> datetime.datetime:
    """An ISO time with its zone: Z, UTC, +01:00, +0100, or else `zone`, that of the course.

    The name that `zone` has at that time, such as CET, may follow it. A day alone means its
    last minute. Raises ValueError, in one sentence.
    """
    iso = re.sub(r"\s*(?:Z|UTC|GMT)$", "+00:00", text.strip())
    named = re.search(r"\s+([A-Z]{3,5})$", iso)
    iso = iso[: named.start()] if named else iso
    iso = re.sub(r"(?<=\d-\d\d-\d\d)\s*(?=$|[+-]\d\d:?\d\d$)", "T23:59", iso)
    iso = re.sub(r"\s*([+-]\d\d):?(\d\d)$", r"\1:\2", iso)
    # nanoseconds have too many digits, and Python 3.10 reads three or six
    iso = re.sub(r"\.(\d+)", lambda part: f".{part[1]:0<6.6}", iso)
    try:
        when = datetime.datetime.fromisoformat(iso)
        if when.year in (datetime.MINYEAR, datetime.MAXYEAR):  # no other zone could tell it
            raise ValueError
        if named and named[1] != when.replace(tzinfo=zone).tzname():
            raise ValueError
    except ValueError:
        raise ValueError(f"{text!r} is not a time such as {EXAMPLE}") from None
    return zoned(when, zone)
