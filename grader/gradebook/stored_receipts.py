"""The times of receipt in the results store: copying a folder of submissions changes none."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from ..classroom.cells import plain
from ..classroom.receipt import Receipt
from .lateness import moment

if TYPE_CHECKING:
    from .store import Store


def of(store: Store, student: str, assignment: str, sha256: str) -> list[Receipt]:
    """The times stored for exactly these bytes, oldest row first. Raises GradebookError."""
    from sqlalchemy import select

    from .schema import results

    query = select(results.c.result).order_by(results.c.id)
    query = query.where(
        results.c.student == plain(student),
        results.c.assignment == assignment,
        results.c.submission_sha256 == sha256,
    )
    with store.connected() as connection:
        rows = [json.loads(text)["submission"] for text in connection.scalars(query)]
    return [
        Receipt(moment(row["received"]), row.get("received_from", ""))
        for row in rows
        if row.get("received")
    ]
