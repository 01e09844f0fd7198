"""Prints changes of grades as lines for a terminal: those of a preview, and a grade's history."""

import datetime
from collections.abc import Callable, Sequence
from typing import Any

from grader.course.course import Course

from ...classroom.roster import Roster
from ...gradebook import stored_roster
from ...gradebook.changes.history import preview
from ...gradebook.course_grades import course_grades
from ...gradebook.lateness import moment, written
from ...gradebook.result import Result
from ...gradebook.rules import policy
from ...gradebook.store import Store
from ...gradebook.totals import UNGRADED
from ...report.plain_text import number, wrapped
from .. import EXIT_OK, EXIT_UNGRADED
from ..output import say, say_json
from . import results


def show_preview(
    store: Store,
    course: Course,
    change: Callable[[], None],
    as_json: bool,
    graded: Sequence[Result] = (),
) -> int:
    """Compare the grades of now with those after `change`, which writes to the store.

    All of it is undone. Failures of the grader in `graded` replace no grade, but are shown. Marks,
    terms and the rules for late work count as they would.
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
    after = [failed.get((r.student, r.assignment), r) for r in after]
    found = preview(after, old, course.facts.zone)
    new = policy.changes(rules, policy.of(course), course.facts.zone) if rules else []
    found["rules"] = [change.sentence for change in new]
    found["course"] = _moved(*classes)
    if as_json:
        say_json(found)
    else:
        say(_text(found))
    return EXIT_UNGRADED if failed or any(r.untested for r in graded) else EXIT_OK


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
    lines = [line for change in found["changes"] for line in of_grade(change)]
    for rule in found["rules"]:
        lines += wrapped(f"course.toml, {rule}")
    lines += [""] if found["rules"] else []
    if found["rules"] and found["course"]:
        moved = [f"{c['student']} {c['before']} → {c['now']}" for c in found["course"]]
        lines += [*wrapped(f"Course totals so far, in percent: {', '.join(moved)}"), ""]
    counts = found["summary"]
    named = {"new": "new", "ungraded": "that the grader failed on"}
    more = "".join(f", {counts[key]} {text}" for key, text in named.items() if counts[key])
    lines += [
        f"{counts['up']} up, {counts['down']} down, {counts['same']} with the same total{more}.",
        "Nothing was stored or written. To apply it, run the same command without --preview.",
    ]
    return "\n".join(lines)


TESTS = 12  # of one change; --json has all


def of_grade(change: dict[str, Any]) -> list[str]:
    """The lines of one of the `changes` of `differences.preview`."""
    whose = f"{change['student']} {change['assignment']}"
    if change["points"] is None:
        return [f"{whose}: {number(change['now'])}, {change['outcome']}, nothing stored before", ""]
    where = ", ".join(f"{id} {points:+g}" for id, points in change["exercises"].items())
    totals = (change["before"], change["now"])  # none for the excused, and if the grader failed
    moved = " → ".join("no total" if total is None else number(total) for total in totals)
    lines = [f"{whose}: {moved} ({change['points']:+g}{f'; {where}' if where else ''})"]
    for why in change["why"]:
        lines += wrapped(why, 4)
    return [*lines, *_of_tests(change["tests"]), ""]


def of_event(entry: dict[str, Any], zone: datetime.tzinfo) -> list[str]:
    """The lines of one of the `history.entries`; times are in `zone`."""
    outcome = entry.get("outcome", "GRADED")
    kind = "" if outcome == "GRADED" else f" [{outcome}]"
    lines = ["", f"{written(moment(entry['at']), zone)}{kind}", *wrapped(entry["sentence"], 2)]
    if "made" in entry:
        made = written(moment(entry["made"]), zone)
        lines.append(f"  an earlier grade counts again: that of {made}")
    return lines + _of_tests(entry.get("tests", []))


def _of_tests(tests: Sequence[dict[str, Any]]) -> list[str]:
    lines = []
    for test in tests[:TESTS]:
        moved = f"{test['exercise']} {test['title']}: {test['before']} → {test['now']}"
        lines += wrapped(f"{moved} ({test['points']:+g})", 4)
    if (more := len(tests) - TESTS) > 0:
        lines.append(f"    and {more} more tests (--json lists all)")
    return lines
