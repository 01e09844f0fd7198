"""Finds students who are new in the class by a roster, or only misspelled in it."""

import re
from collections.abc import Collection

from ...classroom.csv_file import CsvError
from ...classroom.names import nearest
from ...classroom.roster import LEFT, Roster, Student, abridged


def newcomers(given: Roster, stored: Roster, with_work: Collection[str]) -> list[str]:
    """The students who are new in the class by a roster, each with its likely spelling.

    `with_work`: those who have results or hand-ins. Raises CsvError for a row of terms alone whose
    student nobody knows: it would only be a phantom with no points.
    """
    known = {*stored.students, *stored.left, *with_work}
    others = known - {*given.students}
    new = {id: _meant(id, others) or "" for id in given.students if id not in known}
    wrong = [
        f"--roster: nobody in the class is called {id!r}{near and f'; is it {near!r}?'} (a new "
        "student's row needs a name)"
        for id, near in new.items()
        if stored.students and _adds_nobody(given.student(id))
    ]
    if wrong:
        raise CsvError(wrong)
    told = {id: f"{id} (nearly {near})" if near else id for id, near in new.items()}
    if not stored.students:  # the first roster: everybody is new
        told = {id: text for id, text in told.items() if id != text}
    listed = [s for s in given.students.values() if s.cells and s.name != LEFT]
    back = [s.id for s in listed if s.id in stored.left]
    lists = {"new in the class": [*told.values()], "back in the class": back}
    lists["now another student's"] = _moved(given, stored)
    return [f"{what}: {abridged(names)}" for what, names in lists.items() if names]


def _moved(given: Roster, stored: Roster) -> list[str]:
    """Names in other systems that the roster gives to somebody else than before."""
    owners = [
        (f"{system} {name}", stored.called(system, name), student)
        for student in given.students.values()
        for system, name in student.names.items()
    ]
    return [
        f"{what} ({old.id} → {new.id})" for what, old, new in owners if old and old.id != new.id
    ]


def _adds_nobody(student: Student) -> bool:
    """Whether a row says only what changes for a student, or that they have left."""
    return student.name == LEFT or bool(student.terms and not student.cells)


def _meant(name: str, others: Collection[str]) -> str | None:
    """Of whose name this may be a misspelling; s13 is none of s12."""
    near = nearest(name, others)
    letters = [re.sub(r"\d", "", one) for one in (name, near or "")]
    return None if name != letters[0] and letters[0] == letters[1] else near
