"""Messages between markers through the store: what each has open, what is in question.

Markers may work in one browser, on one machine or on several with one database.
"""

import datetime
import time
from collections.abc import Iterable
from typing import NamedTuple

from sqlalchemy import Connection

from ..gradebook import regrade_requests
from ..gradebook.database.schema import at_work, questioned
from ..gradebook.manual import Item
from ..gradebook.stored_marks import KeptMark

AWAY = 15.0  # seconds without a sign, after which somebody has left


class Asked(NamedTuple):
    """Why an answer is in question: a colleague asks, or a student with a reason."""

    by: str = ""
    reason: str = ""


def has_open(connection: Connection, marker: str, place: str, now: float | None = None) -> None:
    """Say that this marker has the place open; within a transaction in which nobody else writes."""
    connection.execute(at_work.delete().where(at_work.c.marker == marker))
    seen_at = time.time() if now is None else now
    connection.execute(at_work.insert().values(marker=marker, place=place, seen_at=seen_at))


def others_at(
    connection: Connection, marker: str, place: str, now: float | None = None
) -> list[str]:
    """The others who have the place open, sorted."""
    since = (time.time() if now is None else now) - AWAY
    query = at_work.select().where(at_work.c.place == place, at_work.c.seen_at > since)
    return sorted(row.marker for row in connection.execute(query) if row.marker != marker)


def ask(connection: Connection, items: Iterable[Item], marker: str, asked: bool) -> None:
    """Put answers in question, for a colleague to look at, or settle it."""
    now = datetime.datetime.now(datetime.timezone.utc).isoformat(timespec="seconds")
    names = ("student", "assignment", "item")
    rows = [dict(zip(names, i, strict=True)) | {"marker": marker, "asked": asked} for i in items]
    connection.execute(questioned.insert(), [row | {"kept_at": now} for row in rows])


def in_question(connection: Connection, kept: Iterable[KeptMark]) -> dict[Item, Asked]:
    """The answers that are in question now; `kept` are all marks, which answer students."""
    found: dict[Item, Asked] = {}
    for row in connection.execute(questioned.select().order_by(questioned.c.id)):
        item = (row.student, row.assignment, row.item)
        if row.reason is None:
            found.pop(item, None)
            if row.asked:
                found[item] = Asked(by=row.marker)
    for item, requests in regrade_requests.every(connection, kept).items():
        if reasons := [one.reason for one in requests if not one.answered_at]:
            found[item] = Asked(reason="\n\n".join(reasons))
    return found
