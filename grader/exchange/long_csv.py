"""CSV: the long form, safe to open in a spreadsheet."""

from __future__ import annotations

import csv
import datetime
import io
from collections.abc import Sequence
from typing import Any

from ..classroom.cells import safe
from ..classroom.roster import Roster
from ..gradebook.result import Result
from . import long_form


def to_csv(results: Sequence[Result], roster: Roster) -> str:
    """Times as ISO 8601 in UTC, truth values as true and false, nothing for what is not known."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(long_form.COLUMNS)
    for row in long_form.rows(results, roster):
        writer.writerow([_cell(row[name]) for name in long_form.COLUMNS])
    return out.getvalue()


def _cell(value: Any) -> Any:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, datetime.datetime):
        return value.astimezone(datetime.timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ")
    return safe(value) if isinstance(value, str) else value
