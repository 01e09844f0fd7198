"""What `course grade --preview` prints: who would move, by how much and by which tests."""

from __future__ import annotations

import textwrap
from typing import Any

from grader.course.course import Course

from ...gradebook.differences import preview
from ...gradebook.result import Result
from ...gradebook.store import Store
from ...report.plain_text import number
from .. import EXIT_OK, EXIT_UNGRADED
from ..output import say, say_json
from ..records import results

Results = dict[tuple[str, str], Result]  # by student and assignment
TESTS = 12  # shown of one student; --json has all


def show(graded: list[Result], store: Store, course: Course, as_json: bool) -> int:
    """Compare with what is stored, marks and rules applied to both; nothing is written."""
    latest = {(r.student, r.assignment): r for r in store.latest()}
    new = {(r.student, r.assignment): r for r in graded}
    stored, after = _counted(latest, store, course), _counted({**latest, **new}, store, course)
    found = preview([after[key] for key in new], stored)
    if as_json:
        say_json(found)
    else:
        say(_text(found))
    failed = found["summary"]["ungraded"] or any(result.untested for result in graded)
    return EXIT_UNGRADED if failed else EXIT_OK


def _counted(found: Results, store: Store, course: Course) -> Results:
    """With manual marks and the rules for late work; without assignments that are gone."""
    ids = {assignment.id for assignment in course.graded}
    known = [result for result in found.values() if result.assignment in ids]
    counted = results.counted(known, store.manual(course), store)
    return {(r.student, r.assignment): r for r in counted}


def _text(found: dict[str, Any]) -> str:
    lines = [line for change in found["changes"] for line in _change(change)]
    counts = found["summary"]
    named = {"new": "new", "ungraded": "that the grader failed on"}
    more = "".join(f", {counts[key]} {text}" for key, text in named.items() if counts[key])
    lines += [
        f"{counts['up']} up, {counts['down']} down, {counts['same']} with the same total{more}.",
        "Nothing was stored or written. To apply it: the same command without --preview.",
    ]
    return "\n".join(lines)


def _change(change: dict[str, Any]) -> list[str]:
    whose = f"{change['student']} {change['assignment']}"
    if change["points"] is None:
        return [f"{whose}: {number(change['now'])}, {change['outcome']}, nothing stored before", ""]
    where = ", ".join(f"{id} {points:+g}" for id, points in change["exercises"].items())
    moved = f"{number(change['before'] or 0.0)} → {number(change['now'] or 0.0)}"
    lines = [f"{whose}: {moved} ({change['points']:+g}{f'; {where}' if where else ''})"]
    for test in change["tests"][:TESTS]:
        text = f"{test['exercise']} {test['title']}: {test['before']} → {test['now']}"
        lines += textwrap.wrap(f"{text} ({test['points']:+g})", 96, initial_indent="    ",
                               subsequent_indent="      ")  # fmt: skip
    lines += [
        f"    the mark of {item or 'the whole assignment'} is held: what was handed in has changed"
        for item in change["held"]
    ]
    if (more := len(change["tests"]) - TESTS) > 0:
        lines.append(f"    and {more} more tests (--json lists all)")
    return [*lines, ""]
