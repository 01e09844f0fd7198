"""The class and its terms in the results store, so that no later command needs the roster."""

from __future__ import annotations

import datetime
import json
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
        before = _cells(connection)
        known = Roster({id: Student.of(id, cells) for id, cells in before.items()})
        after = {id: student.cells for id, student in roster.over(known).students.items()}
        rows = [
            {"student": plain(id), "cells": json.dumps(after[id]) if id in after else None}
            | {"kept_at": now}
            for id in {**before, **after}
            if before.get(id) != after.get(id)
        ]
        if rows:
            connection.execute(table.insert(), rows)
    return len(rows) + keep_terms(store, roster)


def read(store: Store) -> Roster:
    """Everybody in the class, with their terms. Raises GradebookError."""
    with store.connected() as connection:
        found = _cells(connection)
    by_student: dict[str, dict[str, Terms]] = {}
    told = dict[str, None]()
    for (id, assignment), own in terms(store).items():
        by_student.setdefault(id, {})[assignment] = own
        told[assignment] = None
    students = {id: Student.of(id, cells, by_student.get(id)) for id, cells in found.items()}
    return Roster(students, tuple(told))


def allowances(store: Store) -> dict[str, Allowance]:
    """Slip days and grace of everybody who was ever in the class. Raises GradebookError."""
    with store.connected() as connection:
        found = _cells(connection, also_left=True)
    return {id: Allowance.read(cells) for id, cells in found.items()}


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


def _cells(connection: Connection, also_left: bool = False) -> dict[str, dict[str, str]]:
    """The newest cells of each student who has not left, in the order in which they came."""
    rows = connection.execute(table.select().order_by(table.c.id))
    newest = {row.student: row.cells for row in rows if row.cells is not None or not also_left}
    return {id: json.loads(cells) for id, cells in newest.items() if cells is not None}
