"""Prints the `--preview` of `course grade` and `course report`: changed grades, and why."""

from __future__ import annotations

import textwrap
from collections.abc import Callable, Sequence
from typing import Any

from grader.course.course import Course

from ...classroom.roster import Roster
from ...gradebook import stored_roster
from ...gradebook.changes.differences import preview
from ...gradebook.course_grades import course_grades
from ...gradebook.result import Result
from ...gradebook.rules import policy
from ...gradebook.store import Store
from ...gradebook.totals import UNGRADED
from ...report.plain_text import number
from .. import EXIT_OK, EXIT_UNGRADED
from ..output import say, say_json
from . import results

TESTS = 12  # shown of one student; --json has all


def show(
    store: Store,
    course: Course,
    change: Callable[[], None],
    as_json: bool,
    graded: Sequence[Result] = (),
) -> int:
    """Compare the grades of now with those after `change`, which writes to the store.

    All of it is undone. `graded` are listed whether or not they change. Marks, terms and the rules
    for late work count as they would.
    """
    rules = store.rules()
    before = results.counted_results(store, course, lambda text: None)
    under = policy.under(course, rules)
    classes = [_course_totals(before, under, stored_roster.read(store))]
    with store.tried():
        change()
        store.keep_rules(course)
        after = results.counted_results(store, course)
        classes.append(_course_totals(after, course, stored_roster.read(store)))
    old = {(r.student, r.assignment): r for r in before}
    failed = {(r.student, r.assignment): r for r in graded if r.outcome == UNGRADED}
    shown = {(r.student, r.assignment) for r in graded}
    moved = [r for r in after if (r.student, r.assignment) in shown or _moves(r, old)]
    found = preview(
        [failed.get((r.student, r.assignment), r) for r in moved], old, course.facts.zone
    )
    if not graded:
        found["summary"]["same"] += len(after) - len(moved)
    new = policy.changes(rules, policy.of(course), course.facts.zone) if rules else []
    found["rules"] = [change.sentence for change in new]
    found["course"] = _moved(*classes)
    if as_json:
        say_json(found)
    else:
        say(_text(found))
    return EXIT_UNGRADED if failed or any(r.untested for r in graded) else EXIT_OK


def _moves(now: Result, before: dict[tuple[str, str], Result]) -> bool:
    old = before.get((now.student, now.assignment))
    return old is None or (old.totals, len(old.held)) != (now.totals, len(now.held))


def _course_totals(found: list[Result], course: Course, roster: Roster) -> dict[str, float | None]:
    """Everybody's total by the weights, of all grades here so far."""
    return {
        grade.student.id: grade.total
        for grade in course_grades(found, course, roster, {}, so_far=True)
    }


def _moved(
    before: dict[str, float | None], now: dict[str, float | None]
) -> list[dict[str, str | float | None]]:
    return [
        {"student": student, "before": before[student], "now": total}
        for student, total in now.items()
        if student in before and before[student] != total
    ]


def _text(found: dict[str, Any]) -> str:
    lines = [line for change in found["changes"] for line in _change(change)]
    for rule in found["rules"]:
        lines += textwrap.wrap(f"course.toml, {rule}", 78, subsequent_indent="    ")
    lines += [""] if found["rules"] else []
    if found["rules"] and found["course"]:
        moved = [f"{c['student']} {c['before']} → {c['now']}" for c in found["course"]]
        text = f"Course totals so far, in percent: {', '.join(moved)}"
        lines += [*textwrap.wrap(text, 78, break_on_hyphens=False), ""]
    counts = found["summary"]
    named = {"new": "new", "ungraded": "that the grader failed on"}
    more = "".join(f", {counts[key]} {text}" for key, text in named.items() if counts[key])
    lines += [
        f"{counts['up']} up, {counts['down']} down, {counts['same']} with the same total{more}.",
        "Nothing was stored or written. To apply it, run the same command without --preview.",
    ]
    return "\n".join(lines)


def _change(change: dict[str, Any]) -> list[str]:
    whose = f"{change['student']} {change['assignment']}"
    if change["points"] is None:
        return [f"{whose}: {number(change['now'])}, {change['outcome']}, nothing stored before", ""]
    where = ", ".join(f"{id} {points:+g}" for id, points in change["exercises"].items())
    totals = (change["before"], change["now"])  # none for the excused, and if the grader failed
    moved = " → ".join("no total" if total is None else number(total) for total in totals)
    lines = [f"{whose}: {moved} ({change['points']:+g}{f'; {where}' if where else ''})"]
    for why in change["why"]:
        lines += _wrapped(why)
    for test in change["tests"][:TESTS]:
        text = f"{test['exercise']} {test['title']}: {test['before']} → {test['now']}"
        lines += _wrapped(f"{text} ({test['points']:+g})")
    if (more := len(change["tests"]) - TESTS) > 0:
        lines.append(f"    and {more} more tests (--json lists all)")
    return [*lines, ""]


def _wrapped(text: str) -> list[str]:
    return textwrap.wrap(text, 78, initial_indent="    ", subsequent_indent="      ")
