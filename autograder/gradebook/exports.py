"""Grades for other programs: JSON as it stands, and a CSV with a row a student and assignment."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Sequence
from typing import TYPE_CHECKING

from .cells import plain, safe

if TYPE_CHECKING:
    from course_lib.course.syllabus import Syllabus

    from .result import Result

_SUMS = ["automatic", "manual", "pending", "bonus", "late_days", "penalty", "total", "max"]
_IN_TOTALS = {"pending": "manual_pending", "penalty": "late_penalty"}  # names that differ


def to_json(results: Sequence[Result]) -> str:
    return (
        json.dumps([result.as_json() for result in results], ensure_ascii=False, indent=1)
        .encode("utf-8", "backslashreplace")
        .decode()
        + "\n"
    )


def to_csv(results: Sequence[Result], syllabus: Syllabus) -> str:
    """One row a student and assignment, a column for each exercise of the assignments at hand.

    A blank cell is an exercise of another assignment or one that nobody has marked yet. No text
    starts as a formula; columns are called "exercise 1.10", which no spreadsheet shortens to 1.1.
    """
    present = {result.assignment for result in results}
    ids = [e.id for a in syllabus.assignments if a.id in present for e in a.exercises]
    names = [f"exercise {id}" for id in ids]
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(["student", "assignment", "outcome", "tier", *names, *_SUMS, "sha256"])
    for result in results:
        points = {e.id: e.points for e in result.exercises}
        texts = (result.student, result.assignment, result.outcome, result.tier)
        numbers = [points.get(id) for id in ids]
        numbers += [getattr(result.totals, _IN_TOTALS.get(name, name)) for name in _SUMS]
        named = [plain(safe(text)) for text in texts]
        writer.writerow([*named, *numbers, result.submission.sha256])
    return out.getvalue()
