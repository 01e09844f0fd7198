"""The roster: a CSV with a row for each student.

    student,name,section,email,group,canvas,moodle,gradescope,github,a1,a2
    ada,Ada Lovelace,Tuesday,ada@example.org,Team 1,1041,,,ada-l,,2027-02-20 23:59
    ben,Benoît Mandelbrot,Friday,,Team 1,1042,,,,+2,excused

`student` is the name used in the grades: that of the folder or file a submission comes in. The
columns of other systems hold a student's name there. `group` is the name of a group that hands in
together on Canvas or Moodle. A column named like an assignment holds what is different for this
student: a due date of their own, in the course's time zone unless it names another, `+2` for two
more days, `waived` (late, but nothing is deducted), `excused` (the assignment does not count),
several of these, or nothing. `slip_days`, `grace_minutes` and `late_penalty_percent` (of a day, in
every assignment) hold numbers of the student's own. Only `student` is needed.
A `-` for the name says that the student has left the class: nothing shows them any more.

The lists that GitHub Classroom, Moodle and Canvas export are read too (see `foreign_rosters`).
"""

import datetime
import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from grader.course.course import Course

from . import csv_file
from .csv_file import CsvFile, Row
from .names import orders, words
from .terms import ALLOWANCES, Allowance, Terms

SYSTEMS = ("canvas", "moodle", "gradescope", "github", "nbgrader")  # columns of names elsewhere
_TEXTS = ("name", "section", "email", "group")
PERSONAL = (*_TEXTS, *SYSTEMS, *ALLOWANCES)
LEFT = "-"  # for a name: this student has left the class


@dataclass(frozen=True)
class Student:
    """One student. `names` holds their names in other systems, by system."""

    id: str
    name: str = ""
    section: str = ""
    email: str = ""
    group: str = ""  # or several, with commas between
    names: Mapping[str, str] = field(default_factory=dict)
    terms: Mapping[str, Terms] = field(default_factory=dict)  # by assignment
    allowance: Allowance = Allowance()

    @classmethod
    def of(
        cls, id: str, cells: Mapping[str, str], terms: Mapping[str, Terms] | None = None
    ) -> "Student":
        """The student whom a row describes, from its columns in `PERSONAL`. Raises ValueError."""
        names = {system: cells[system] for system in SYSTEMS if cells.get(system)}
        texts = {column: cells.get(column, "") for column in _TEXTS}
        return cls(id, names=names, terms=terms or {}, allowance=Allowance.read(cells), **texts)

    @property
    def cells(self) -> dict[str, str]:
        """The cells of the row that are not empty, by column in `PERSONAL`."""
        texts = {column: getattr(self, column) for column in _TEXTS} | {**self.names}
        return {column: text for column, text in texts.items() if text} | self.allowance.cells

    @property
    def shown(self) -> str:
        """The name to print: the student's own, or that of the folder."""
        return self.name or self.id


@dataclass(frozen=True)
class Roster:
    """The students, by the name used in the grades. Without a CSV it is empty."""

    students: Mapping[str, Student] = field(default_factory=dict)
    assignments: tuple[str, ...] = ()  # those it has a column of terms for
    columns: tuple[str, ...] = PERSONAL  # of these, those it has
    unused: tuple[str, ...] = ()  # columns that mean nothing here
    left: Mapping[str, Student] = field(default_factory=dict)  # as they were in the class

    @classmethod
    def read(cls, path: str | Path, course: Course) -> "Roster":
        """Raises CsvError, which lists every bad row."""
        ids = [assignment.id for assignment in course.graded]
        file, zone = CsvFile.read(path), course.facts.zone
        export = csv_file.recognized(file.columns)
        if export is None:
            file.check(["student"])
        found = file.each(
            lambda row: _student(export.row(row) if export else row, ids, zone), _all_names
        )
        there = {*file.columns, *(export.columns if export else ())}
        told, columns = (
            tuple(name for name in names if name in there) for names in (ids, PERSONAL)
        )
        used = {"student", *ids, *PERSONAL}
        unused = () if export else tuple(n for n in file.columns if n and n not in used)
        return cls({student.id: student for student in found}, told, columns, unused)

    def over(self, older: "Roster") -> "Roster":
        """The class once this roster is added to what was known before.

        It replaces what it has a row and a column for; all else stays. A name in another system
        has one owner, the new one. A student who has left stays so until a row says more than
        terms.
        """
        taken = {(s, n.casefold()) for new in self.students.values() for s, n in new.names.items()}
        merged = {id: _without(old, taken) for id, old in older.students.items()}
        left = dict(older.left)
        for id, new in self.students.items():
            if id in left and not new.cells:
                continue
            old = merged.get(id) or left.get(id) or Student(id)
            if new.name == LEFT:
                left[id] = old
                merged.pop(id, None)
                continue
            left.pop(id, None)
            cells = {c: text for c, text in old.cells.items() if c not in self.columns}
            terms = {a: own for a, own in old.terms.items() if a not in self.assignments}
            merged[id] = Student.of(id, cells | new.cells, terms | {**new.terms})
        told = tuple(dict.fromkeys([*older.assignments, *self.assignments]))
        return Roster(merged, told, left=left)

    @property
    def ever(self) -> "Roster":
        """The class with who has left: their hand-ins may still be in a download."""
        return replace(self, students={**self.students, **self.left})

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
        found = self.namesakes(name)
        return found[0] if len(found) == 1 else None

    def namesakes(self, name: str) -> list[Student]:
        """All students with this name, in any order of its words."""
        wanted = orders(name)
        return [s for s in self.students.values() if wanted & orders(s.name)]

    def grouped(self, name: str) -> list[Student]:
        """The members of a group: a platform may write its name without spaces, in lower case."""
        wanted = {"".join(words(name))} - {""}
        return [s for s in self.students.values() if wanted & set(_groups(s.group))]

    def missing(self, assignment: str, handed_in: Collection[str]) -> list[str]:
        """Students who have not handed in an assignment, except those who are excused."""
        return [
            student.id
            for student in self.students.values()
            if student.id not in handed_in and not self.terms(student.id, assignment).excused
        ]

    @property
    def allowances(self) -> dict[str, Allowance]:
        """Everybody's own numbers for late work, by student."""
        return {id: student.allowance for id, student in self.students.items()}


NOBODY = Roster()


def _groups(cell: str) -> list[str]:
    return ["".join(words(one)) for one in re.split("[,;]", cell)]


def _without(student: Student, taken: Collection[tuple[str, str]]) -> Student:
    kept = {s: name for s, name in student.names.items() if (s, name.casefold()) not in taken}
    return student if kept == student.names else replace(student, names=kept)


def _all_names(student: Student) -> list[str]:
    """Every name that must be the student's alone."""
    elsewhere = [f"the {system} name {name!r} is" for system, name in student.names.items()]
    return [f"student {student.id!r} is", *elsewhere]


def _student(row: Row | None, assignments: Sequence[str], zone: datetime.tzinfo) -> Student | None:
    if row is None or not any(row.values()):
        return None
    if not row["student"]:
        raise ValueError("no student: write the name of their submissions")
    if "/" in row["student"] or row["student"] in (".", ".."):
        raise ValueError(f"{row['student']!r} is not a student's name: leave out the slash")
    cells = {id: row[id] for id in assignments if row.get(id)}
    if LEFT in cells.values():
        raise ValueError(f"{LEFT!r} says that a student has left: write it in the column name")
    terms = {id: Terms.read(cell, zone) for id, cell in cells.items()}
    return Student.of(row["student"], row, terms)


def abridged(names: Sequence[str], most: int = 12) -> str:
    """The first of many names, and how many more there are."""
    more = f" and {len(names) - most} more" if len(names) > most else ""
    return f"{', '.join(names[:most])}{more}"
