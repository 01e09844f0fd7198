"""The class and its terms in the results store, so that no later command needs the roster."""

import datetime
import json
from dataclasses import replace
from typing import Any

from sqlalchemy import Connection

from ..classroom.csv_file import plain
from ..classroom.roster import Roster, Student
from ..classroom.terms import Allowance, Terms
from .database.schema import students as table
from .database.schema import terms as terms_table
from .lateness import moment
from .rules.late_policy import AllTerms
from .store import Store


def keep(store: Store, roster: Roster) -> int:
    """Append what a roster says that is new or changed; returns how many rows.

    Students and columns that the roster lacks stay as they are. Raises GradebookError if the
    database fails.
    """
    if not roster.students:
        return 0
    now = datetime.datetime.now(datetime.timezone.utc).isoformat(timespec="seconds")
    with store.connected(writing=True) as connection:
        known = _roster(connection)
        before, after = _stored(known), _stored(roster.over(known))
        rows = [
            {
                "student": plain(id),
                "cells": None if cells is None else json.dumps(cells),
                "kept_at": now,
            }
            for id, cells in after.items()
            if id not in before or before[id] != cells
        ]
        if rows:
            connection.execute(table.insert(), rows)
    return len(rows) + keep_terms(store, roster)


def _stored(roster: Roster) -> dict[str, dict[str, str] | None]:
    """The cells of everybody; None for who has left."""
    return {id: s.cells for id, s in roster.students.items()} | dict.fromkeys(roster.left)


def read(store: Store) -> Roster:
    """Everybody in the class, with their terms, and who has left. Raises GradebookError."""
    with store.connected() as connection:
        found = _roster(connection)
    by_student: dict[str, dict[str, Terms]] = {}
    told = dict[str, None]()
    for (id, assignment), own in terms(store).items():
        by_student.setdefault(id, {})[assignment] = own
        told[assignment] = None
    students = {id: replace(s, terms=by_student.get(id, {})) for id, s in found.students.items()}
    return Roster(students, tuple(told), left=found.left)


def allowances(store: Store) -> dict[str, Allowance]:
    """Slip days and grace of everybody who was ever in the class. Raises GradebookError."""
    with store.connected() as connection:
        found = _roster(connection)
    return found.allowances | Roster(found.left).allowances


def keep_terms(store: Store, roster: Roster) -> int:
    """Append the terms that are new or changed; returns how many.

    A roster without a column for an assignment, or without a row for a student, changes nothing
    there; an empty cell ends earlier terms. Raises GradebookError if the database fails.
    """
    kept = terms(store)
    now = datetime.datetime.now(datetime.timezone.utc).isoformat(timespec="seconds")
    rows: list[dict[str, Any]] = []
    for student in roster.students.values():
        for assignment in roster.assignments:
            own = roster.terms(student.id, assignment)
            if own != kept.get((student.id, assignment), Terms()):
                rows.append(
                    {
                        "student": plain(student.id),
                        "assignment": assignment,
                        "due": own.due.isoformat() if own.due else None,
                        "more_days": own.more_days,
                        "waived": own.waived,
                        "excused": own.excused,
                        "kept_at": now,
                    }
                )
    if rows:
        with store.connected(writing=True) as connection:
            connection.execute(terms_table.insert(), rows)
    return len(rows)


def terms(store: Store) -> AllTerms:
    """The newest terms of each student and assignment. Raises GradebookError."""
    with store.connected() as connection:
        return {
            (row.student, row.assignment): Terms(
                moment(row.due) if row.due else None, row.more_days, row.waived, row.excused
            )
            for row in connection.execute(terms_table.select().order_by(terms_table.c.id))
        }


def _roster(connection: Connection) -> Roster:
    """Everybody without their terms, in the order in which they came; also who has left."""
    students, left = dict[str, Student](), dict[str, Student]()
    for row in connection.execute(table.select().order_by(table.c.id)):
        if row.cells is None:
            left[row.student] = students.pop(row.student, Student(row.student))
        else:
            left.pop(row.student, None)
            students[row.student] = Student.of(row.student, json.loads(row.cells))
    return Roster(students, left=left)
