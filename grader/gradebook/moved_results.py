"""Gives results and marks to another student, as the name of a hand-in was corrected."""

import datetime
from collections.abc import Sequence
from typing import NamedTuple

from sqlalchemy import Connection

from . import rows, stored_marks
from .database.schema import moved
from .manual import ManualMark
from .result import Result
from .store import Store
from .stored_marks import KeptMark

NO_MARK = ManualMark(None)


class Move(NamedTuple):
    """One assignment of `old` that is the work of `new`."""

    old: str
    new: str
    assignment: str
    shared: bool  # the old one keeps it too, as a member of a group


class _Kept(NamedTuple):
    last: int  # the id of the newest result
    results: list[Result]  # oldest first
    marks: list[KeptMark]  # those that count


def carry(store: Store, moves: Sequence[Move]) -> None:
    """Copy what each new one takes over; the old one shows nothing of it. Raises GradebookError.

    All is read before anything is written: two students may have had each other's.
    """
    with store.connected(writing=True) as connection:
        taken = [(move, _kept(connection, move)) for move in moves]
        for move, kept in taken:
            if not move.shared:
                _retire(connection, move, kept)
        for move, kept in taken:
            for result in kept.results:
                rows.append(connection, result.model_copy(update={"student": move.new}))
            given = {(move.new, *mark.item[1:]): mark.mark for mark in kept.marks}
            own = stored_marks.newest(stored_marks.every(connection, (move.new, move.assignment)))
            carried = {i: mark for i, mark in given.items() if not _is_marked(mark, own.get(i))}
            stored_marks.append(connection, carried, carried=True)


def _is_marked(mark: ManualMark, own: KeptMark | None) -> bool:
    """Whether the new one has a mark of their own for the same answer."""
    return own is not None and own.mark != NO_MARK and own.mark.counts_for(mark.answer_sha256)


def _kept(connection: Connection, move: Move) -> _Kept:
    item = (move.old, move.assignment)
    newest = stored_marks.newest(stored_marks.every(connection, item)).values()
    marks = [mark for mark in newest if mark.mark != NO_MARK]
    last = rows.last(connection, *item)
    return _Kept(last, rows.of(connection, *item)[::-1], marks)


def _retire(connection: Connection, move: Move, kept: _Kept) -> None:
    now = datetime.datetime.now(datetime.timezone.utc).isoformat(timespec="seconds")
    row = {
        "student": rows.plain_text(move.old),
        "assignment": move.assignment,
        "last": kept.last,
        "kept_at": now,
    }
    connection.execute(moved.insert(), [row])
    stored_marks.append(connection, {mark.item: NO_MARK for mark in kept.marks})
