"""The terms of students in the results store, so that later reports need no roster."""

from __future__ import annotations

import datetime
from typing import TYPE_CHECKING, Any

from ..classroom.csv_file import plain
from ..classroom.roster import Roster
from ..classroom.terms import Terms
from .lateness import moment
from .rules.late_policy import AllTerms

if TYPE_CHECKING:
    from .store import Store


def keep(store: Store, roster: Roster) -> int:
    """Append the terms that are new or changed; returns how many.

    A roster without a column for an assignment, or without a row for a student, changes nothing
    there; an empty cell ends earlier terms. Raises GradebookError if the database fails.
    """
    from .database.schema import terms as table

    kept = read(store)
    now = datetime.datetime.now(datetime.timezone.utc).isoformat(timespec="seconds")
    rows: list[dict[str, Any]] = []
    for student in roster.students.values():
        for assignment in roster.assignments:
            terms = roster.terms(student.id, assignment)
            if terms != kept.get((student.id, assignment), Terms()):
                rows.append(
                    {
                        "student": plain(student.id),
                        "assignment": assignment,
                        "due": terms.due.isoformat() if terms.due else None,
                        "more_days": terms.more_days,
                        "waived": terms.waived,
                        "excused": terms.excused,
                        "kept_at": now,
                    }
                )
    if rows:
        with store.connected(writing=True) as connection:
            connection.execute(table.insert(), rows)
    return len(rows)


def read(store: Store) -> AllTerms:
    """The newest terms of each student and assignment. Raises GradebookError."""
    from .database.schema import terms as table

    with store.connected() as connection:
        return {
            (row.student, row.assignment): Terms(
                moment(row.due) if row.due else None, row.more_days, row.waived, row.excused
            )
            for row in connection.execute(table.select().order_by(table.c.id))
        }
