"""`course history`: every grading and every manual mark of one student and assignment."""

from __future__ import annotations

import datetime
import textwrap
from typing import Any

from grader.course.course import Course

from ...gradebook.lateness import moment, written
from ...report.plain_text import number
from .. import EXIT_OK, lookup
from ..output import say, say_json
from ..problems import UsageProblem
from . import results, stores
from .gradebook_options import History

TESTS = 8  # shown of one grading; --json has all


def run(options: History) -> int:
    """Print what happened, oldest first."""
    course, student = Course.here(), options.student
    with stores.existing(options.out, options.store) as store:
        found = store.history(
            student, lookup.assignment(course, options.assignment).id, course.facts.zone
        )
        if not found:
            raise UsageProblem(stores.nothing_for(store, student, options.assignment))
        now = [
            result.totals
            for result in results.counted_results(store, course)
            if (result.student, result.assignment) == (student, options.assignment)
        ]
    if options.json:
        say_json(found)
        return EXIT_OK
    say(f"{student}, {options.assignment}: {len(found)} entries, oldest first")
    for entry in found:
        say("\n".join(_lines(entry, course.facts.zone)))
    for totals in now:
        points = f"{number(totals.total)} of {number(totals.max)} points"
        say(f"\nWhat counts now: {'excused' if totals.excused else points}")
    return EXIT_OK


def _lines(entry: dict[str, Any], zone: datetime.tzinfo) -> list[str]:
    outcome = entry.get("outcome", "GRADED")
    kind = "" if outcome == "GRADED" else f" [{outcome}]"
    lines = ["", f"{written(moment(entry['at']), zone)}{kind}", *_wrapped(entry["sentence"], 2)]
    if "made" in entry:
        lines.append(
            f"  an earlier grade counts again: that of {written(moment(entry['made']), zone)}"
        )
    tests = entry.get("tests", [])
    for test in tests[:TESTS]:
        moved = f"{test['exercise']} {test['title']}: {test['before']} → {test['now']}"
        lines += _wrapped(f"{moved} ({test['points']:+g})", 4)
    if len(tests) > TESTS:
        lines.append(f"    and {len(tests) - TESTS} more tests (--json lists all)")
    return lines


def _wrapped(text: str, indent: int) -> list[str]:
    """The text in lines that a terminal of 80 columns shows."""
    first, later = " " * indent, " " * (indent + 2)
    return textwrap.wrap(text, 78, initial_indent=first, subsequent_indent=later)
