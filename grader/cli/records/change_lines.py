"""Prints changes of grades as lines for a terminal: those of a preview, and a grade's history."""

import datetime
from collections.abc import Sequence
from typing import Any

from ...gradebook.lateness import moment, written
from ...report.plain_text import number, wrapped

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
