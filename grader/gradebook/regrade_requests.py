"""Regrade requests: what students ask to have looked at again, until somebody answers.

A request is answered by the next mark of its item, or by a marker who settles it without one.
"""

import datetime
from collections.abc import Iterable, Mapping, Sequence

from sqlalchemy import Connection, func, select

from . import stored_marks
from .database.schema import marks, questioned
from .manual import Item
from .result import Request, Result
from .stored_marks import KeptMark


def ask(connection: Connection, reasons: Mapping[Item, str]) -> list[Item]:
    """Store the requests that are new, each with its reason; returns their items."""
    known = {
        (item, request.reason)
        for item, requests in every(connection, stored_marks.every(connection)).items()
        for request in requests
    }
    now = datetime.datetime.now(datetime.timezone.utc).isoformat(timespec="seconds")
    facts = {"asked": True, "kept_at": now}
    facts["after_mark"] = connection.scalar(select(func.max(marks.c.id))) or 0
    new = {item: reason for item, reason in reasons.items() if (item, reason) not in known}
    rows = [
        {"student": item[0], "assignment": item[1], "item": item[2], "marker": item[0]}
        | {"reason": reason}
        | facts
        for item, reason in new.items()
    ]
    if rows:
        connection.execute(questioned.insert(), rows)
    return [*new]


def every(connection: Connection, kept: Iterable[KeptMark]) -> dict[Item, list[Request]]:
    """All requests by item, oldest first; `kept` are all marks, which answer them."""
    given: dict[Item, list[KeptMark]] = {}
    for mark in kept:
        given.setdefault(mark.item, []).append(mark)
    found: dict[Item, list[Request]] = {}
    for row in connection.execute(questioned.select().order_by(questioned.c.id)):
        item = (row.student, row.assignment, row.item)
        if row.reason is not None:
            later = [m for m in stored_marks.standing(given.get(item, ())) if m.id > row.after_mark]
            at = later[0].kept_at if later else ""
            request = Request(
                item=row.item, reason=row.reason, asked_at=row.kept_at, answered_at=at
            )
            found.setdefault(item, []).append(request)
        elif not row.asked and item in found:
            settled = {"answered_at": row.kept_at, "settled_by": row.marker}
            found[item] = [
                one if one.answered_at else one.model_copy(update=settled) for one in found[item]
            ]
    return found


def with_requests(
    results: Sequence[Result], requests: Mapping[Item, Sequence[Request]]
) -> list[Result]:
    """The results, each with what its student asked for."""
    mine: dict[tuple[str, str], list[Request]] = {}
    for (student, assignment, _), asked in requests.items():
        mine.setdefault((student, assignment), []).extend(asked)
    return [
        result.model_copy(update={"requests": mine[key]})
        if (key := (result.student, result.assignment)) in mine
        else result
        for result in results
    ]
