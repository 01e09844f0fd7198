"""Why a total moves: what differs between two countings of one student's assignment, in words.

Every counting that `course grade` and `course report` write is stored with its date if anything in
it differs from the last one, so that `course history` can tell each move.
"""

import datetime
import json
from collections.abc import Mapping, Sequence
from typing import Any

from sqlalchemy import Connection

from ..database.schema import countings as table
from ..lateness import counted, moment, written
from ..result import Result

Facts = Mapping[str, Any]
UTC = datetime.timezone.utc
MOST_NAMED = 4  # exercises, as the reason of one move


def facts(result: Result) -> Facts:
    """The facts that decide a total, besides the tests: small, and comparable."""
    totals, facts, late = result.totals, result.submission, result.late
    return {
        "total": totals.total,
        "automatic": totals.automatic,
        "bonus": totals.bonus,
        "exercises": earned(result),
        "penalty": totals.late_penalty,
        "excused": totals.excused,
        "sha256": facts.sha256,
        "received": facts.received,
        "due": late.due if late else None,
        "days": late.days if late else 0,
        "percent": late.percent if late else 0,
        "slip_days": late.slip_days if late else 0,
        "parts": {part.id: part.points for part in result.parts},
        "overrides": {override.exercise: override.points for override in result.overrides},
        "held": [mark.item for mark in result.held],
    }


def reasons(before: Facts, now: Facts, zone: datetime.tzinfo = UTC) -> list[str]:
    """The differences in words, the most important first; times are in `zone`."""
    found = []
    if before["sha256"] != now["sha256"]:
        found.append("another hand-in counts")
    found += _of_marks(before, now)
    own = before["overrides"] == now["overrides"]
    if own and any(before[key] != now[key] for key in ("automatic", "bonus")):
        found.append(_of_tests(before, now))
    if before["excused"] != now["excused"]:
        found.append("excused" if now["excused"] else "no longer excused")
    for key, words in (("received", "received"), ("due", "due")):
        if before[key] != now[key]:
            found.append(f"{words} {_time(now[key], zone)}, before: {_time(before[key], zone)}")
    if any(before[key] != now[key] for key in ("days", "percent", "slip_days")):
        found.append(f"{_late(now)}, before: {_late(before)}")
    return found


def earned(result: Result) -> dict[str, float | None]:
    """The points of each exercise by its tests or model: marks by hand are left out."""
    was = {override.exercise: override.was for override in result.overrides}
    return {e.id: was.get(e.id, e.points) for e in result.exercises if not e.parts}


def of_exercises(before: Mapping[str, float | None], now: Mapping[str, float | None]) -> list[str]:
    """`1.4 15.08 → 12.4` for each exercise with other points than before."""
    ids = dict.fromkeys([*now, *before])
    pairs = {id: (before.get(id), now.get(id)) for id in ids}
    return [f"{id} {_given(a)} → {_given(b)}" for id, (a, b) in pairs.items() if a != b]


def keep(connection: Connection, results: Sequence[Result]) -> int:
    """Store each counting that differs from the last one; returns how many."""
    last = {(student, assignment): kept for student, assignment, kept, _ in _every(connection)}
    now = datetime.datetime.now(datetime.timezone.utc).isoformat(timespec="milliseconds")
    rows = [
        {
            "student": result.student,
            "assignment": result.assignment,
            "facts": json.dumps(facts(result)),
            "counted_at": now,
        }
        for result in results
        if _differ(last.get((result.student, result.assignment)), facts(result))
    ]
    if rows:
        connection.execute(table.insert(), rows)
    return len(rows)


def entries(
    connection: Connection, student: str, assignment: str, zone: datetime.tzinfo
) -> list[dict[str, Any]]:
    """An entry for each counting of a student's assignment, oldest first; see `history`."""
    found, before = list[dict[str, Any]](), None
    for _, _, now, at in _every(connection, student, assignment):
        entry = {"kind": "total", "at": at, "total": now["total"], "points": None, "why": []}
        sentence = f"total {_given(now['total'])}"
        if before is not None:
            why = reasons(before, now, zone)
            moved = round((now["total"] or 0.0) - (before["total"] or 0.0), 2)
            entry |= {"points": moved, "why": why}
            if moved:
                sentence = f"total {_given(before['total'])} → {_given(now['total'])} ({moved:+g})"
            sentence = ": ".join([sentence, *filter(None, ["; ".join(why)])])
        found.append({**entry, "sentence": sentence})
        before = now
    return found


def _differ(before: Facts | None, now: Facts) -> bool:
    """Whether anything moved; an older counting lacks facts that are kept now."""
    return before is None or any(now[key] != value for key, value in before.items())


def _every(
    connection: Connection, student: str | None = None, assignment: str | None = None
) -> list[tuple[str, str, Facts, str]]:
    query = table.select().order_by(table.c.id)
    if student is not None:
        query = query.where(table.c.student == student, table.c.assignment == assignment)
    rows = connection.execute(query)
    return [(row.student, row.assignment, json.loads(row.facts), row.counted_at) for row in rows]


def _of_marks(before: Facts, now: Facts) -> list[str]:
    found = [
        f"the mark of {item or 'the whole assignment'} is held, as the answer has changed"
        for item in now["held"]
        if item not in before["held"]
    ]
    for kind in ("parts", "overrides"):
        for item in dict.fromkeys([*before[kind], *now[kind]]):
            was, is_now = before[kind].get(item), now[kind].get(item)
            if was != is_now and item not in now["held"]:
                found.append(f"{item} by hand: {_mark(is_now)}, before: {_mark(was)}")
    return found


def _of_tests(before: Facts, now: Facts) -> str:
    """By which exercises the automatic points moved; only their sums where these are many."""
    moved = of_exercises(before.get("exercises", {}), now["exercises"])
    if "exercises" in before and len(moved) <= MOST_NAMED:
        return ", ".join(moved)
    was, is_now = (automatic_points(f["automatic"], f["bonus"]) for f in (before, now))
    return f"automatic points {is_now}, before: {was}"


def _mark(points: float | None) -> str:
    return "no mark" if points is None else f"{points:g}"


def _given(points: float | None) -> str:
    return "none" if points is None else f"{points:g}"


def automatic_points(automatic: float | None, bonus: float) -> str:
    """`88 and 10 bonus`."""
    return _given(automatic) + (f" and {bonus:g} bonus" if bonus else "")


def _time(text: str | None, zone: datetime.tzinfo) -> str:
    return written(moment(text), zone) if text else "unknown"


def _late(facts: Facts) -> str:
    if not facts["days"]:
        return "not late"
    slip = f", {counted(facts['slip_days'], 'slip day')} used" if facts["slip_days"] else ""
    return f"{counted(facts['days'], 'day')} late{slip}, {facts['percent']:g} % deducted"
