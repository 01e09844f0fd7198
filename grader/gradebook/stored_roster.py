"""The class in the results store, so that every command knows it without being given the roster."""

from __future__ import annotations

import datetime
import json
from typing import TYPE_CHECKING

from ..classroom.csv_file import plain
from ..classroom.roster import Roster, Student
from ..classroom.terms import Allowance, Terms
from . import stored_terms

if TYPE_CHECKING:
    from sqlalchemy import Connection

    from .store import Store


def keep(store: Store, roster: Roster) -> int:
    """Append what a roster says that is new or changed; returns how many rows.

    Students and columns that the roster lacks stay as they are. Raises GradebookError if the
    database fails.
    """
    from .database.schema import students as table

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
    return len(rows) + stored_terms.keep(store, roster)


def read(store: Store) -> Roster:
    """Everybody in the class, with their terms. Raises GradebookError."""
    with store.connected() as connection:
        found = _cells(connection)
    terms: dict[str, dict[str, Terms]] = {}
    told = dict[str, None]()
    for (id, assignment), own in stored_terms.read(store).items():
        terms.setdefault(id, {})[assignment] = own
        told[assignment] = None
    students = {id: Student.of(id, cells, terms.get(id)) for id, cells in found.items()}
    return Roster(students, tuple(told))


def allowances(store: Store) -> dict[str, Allowance]:
    """Slip days and grace of everybody who was ever in the class. Raises GradebookError."""
    with store.connected() as connection:
        found = _cells(connection, also_left=True)
    return {id: Allowance.read(cells) for id, cells in found.items()}


def _cells(connection: Connection, also_left: bool = False) -> dict[str, dict[str, str]]:
    """The newest cells of each student who has not left, in the order in which they came."""
    from .database.schema import students as table

    rows = connection.execute(table.select().order_by(table.c.id))
    newest = {row.student: row.cells for row in rows if row.cells is not None or not also_left}
    return {id: json.loads(cells) for id, cells in newest.items() if cells is not None}
