"""The roster: a CSV with a row for each student.

    student,name,section,email,canvas,moodle,gradescope,github,a1,a2
    ada,Ada Lovelace,Tuesday,ada@example.org,1041,,,ada-l,,2027-02-20T23:59:00+00:00
    ben,Benoît Mandelbrot,Friday,,1042,,,,+2,excused

`student` is the name that grades go by: that of the folder or file a submission comes in. The
columns of other systems hold a student's name there. A column named like an assignment holds what
is different for this student: a due date of their own, `+2` for two more days, `waived` (late, but
nothing is deducted), `excused` (the assignment does not count), or nothing. Only `student` is
needed; other columns are ignored.
"""

from __future__ import annotations

import datetime
import re
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from .csv_file import CsvFile, Row
from .times import EXAMPLE, with_zone

if TYPE_CHECKING:
    from course_lib.course.syllabus import Assignment, Syllabus

SYSTEMS = ("canvas", "moodle", "gradescope", "github", "nbgrader")  # columns of names elsewhere


@dataclass(frozen=True)
class Terms:
    """What is different for one student in one assignment."""

    due: datetime.datetime | None = None  # instead of the assignment's
    more_days: int = 0  # after the assignment's due date
    waived: bool = False  # late, but nothing is deducted
    excused: bool = False  # the assignment does not count

    def due_date(self, assignment: Assignment) -> datetime.datetime:
        """When this student's work is due."""
        return (self.due or assignment.due) + datetime.timedelta(days=self.more_days)


@dataclass(frozen=True)
class Student:
    """One student. `names` holds their names in other systems, by system."""

    id: str
    name: str = ""
    section: str = ""
    email: str = ""
    names: Mapping[str, str] = field(default_factory=dict)
    terms: Mapping[str, Terms] = field(default_factory=dict)  # by assignment

    @property
    def shown(self) -> str:
        """The name to print: the student's own, or that of the folder."""
        return self.name or self.id


@dataclass(frozen=True)
class Roster:
    """The students, by the name that grades go by. Without a CSV it is empty."""

    students: Mapping[str, Student] = field(default_factory=dict)
    assignments: tuple[str, ...] = ()  # those it has a column of terms for

    @classmethod
    def read(cls, path: str | Path, syllabus: Syllabus) -> Roster:
        """Raises CsvError, which lists every bad row."""
        ids = [assignment.id for assignment in syllabus.assignments]
        file = CsvFile.read(path, ["student"])
        found = file.each(lambda row: _student(row, ids), _all_names)
        told = tuple(id for id in ids if id in file.columns)
        return cls({student.id: student for student in found}, told)

    def __contains__(self, id: str) -> bool:
        return id in self.students

    def student(self, id: str) -> Student:
        """The student that grades call `id`; one that the roster does not have has only that."""
        return self.students.get(id, Student(id))

    def terms(self, id: str, assignment: str) -> Terms:
        return self.student(id).terms.get(assignment, Terms())

    def called(self, system: str, name: str) -> Student | None:
        """The student who has this name in another system."""
        wanted = name.casefold()
        for student in self.students.values():
            if wanted and student.names.get(system, "").casefold() == wanted:
                return student
        return None

    def with_email(self, email: str) -> Student | None:
        """The only student with this address."""
        wanted = email.casefold()
        found = [s for s in self.students.values() if wanted and s.email.casefold() == wanted]
        return found[0] if len(found) == 1 else None

    def named(self, name: str) -> Student | None:
        """The only student with this name, in any order of its words: "Lovelace, Ada"."""
        wanted = _orders(name)
        found = [s for s in self.students.values() if wanted & _orders(s.name)]
        return found[0] if len(found) == 1 else None

    def missing(self, assignment: str, handed_in: Collection[str]) -> list[str]:
        """Students who have not handed in an assignment, except those who are excused."""
        return [
            student.id
            for student in self.students.values()
            if student.id not in handed_in and not self.terms(student.id, assignment).excused
        ]


def _orders(name: str) -> set[str]:
    """The words of a name without spaces, beginning with each: systems write either name first."""
    words = re.findall(r"\w+", name.casefold())
    return {"".join(words[n:] + words[:n]) for n in range(len(words))}


def _all_names(student: Student) -> list[str]:
    """Every name that must be the student's alone."""
    elsewhere = [f"the {system} name {name!r} is" for system, name in student.names.items()]
    return [f"student {student.id!r} is", *elsewhere]


def _student(row: Row, assignments: list[str]) -> Student | None:
    if not any(row.values()):
        return None
    if not row["student"]:
        raise ValueError("no student: write the name that their submissions come under")
    if "/" in row["student"] or row["student"] in (".", ".."):
        raise ValueError(f"{row['student']!r} is no name of a student: leave out the slash")
    return Student(
        row["student"],
        row.get("name", ""),
        row.get("section", ""),
        row.get("email", ""),
        {system: row[system] for system in SYSTEMS if row.get(system)},
        {id: _terms(row[id]) for id in assignments if row.get(id)},
    )


def _terms(text: str) -> Terms:
    if text.casefold() == "waived":
        return Terms(waived=True)
    if text.casefold() == "excused":
        return Terms(excused=True)
    if text.startswith("+") and text[1:].isascii() and text[1:].isdigit():
        return Terms(more_days=int(text[1:]))
    try:
        return Terms(due=with_zone(text))
    except ValueError as error:
        raise ValueError(
            f"{error}; write a due date ({EXAMPLE}), +2 for two more days, waived or excused"
        ) from None
