"""results.json, and grades.csv: a CSV with one row per student and assignment."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from ..classroom.csv_file import plain, safe

if TYPE_CHECKING:
    from grader.course.course import Course

    from ..gradebook.result import Result

_SUMS = ["automatic", "manual", "pending", "bonus", "late_days", "penalty", "total", "max"]
_RECEIPT = ["received", "received_from", "slip_days", "excused", "sha256"]
_IN_TOTALS = {"pending": "manual_pending", "penalty": "late_penalty"}  # names that differ


def to_json(results: Sequence[Result]) -> str:
    results_json = [result.as_json() for result in results]
    return plain(json.dumps(results_json, ensure_ascii=False, indent=1)) + "\n"


def to_csv(results: Sequence[Result], course: Course) -> str:
    """One row per student and assignment, one column per exercise of the assignments present.

    A blank cell is an exercise of another assignment, or one that is not marked yet. No text starts
    like a formula; columns are called "exercise 1.10", as a spreadsheet shortens 1.10 to 1.1.
    """
    present = {result.assignment for result in results}
    ids = [e.id for a in course.graded if a.id in present for e in a.exercises]
    names = [f"exercise {id}" for id in ids]
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(["student", "assignment", "outcome", "tier", *names, *_SUMS, *_RECEIPT])
    for result in results:
        points = {e.id: e.points for e in result.exercises}
        texts = (result.student, result.assignment, result.outcome, result.tier)
        numbers = [points.get(id) for id in ids]
        numbers += [getattr(result.totals, _IN_TOTALS.get(name, name)) for name in _SUMS]
        named = [safe(text) for text in texts]
        writer.writerow([*named, *numbers, *_receipt(result)])
    return out.getvalue()


def _receipt(result: Result) -> list[object]:
    facts, late = result.submission, result.late
    slip_days = late.slip_days if late else 0
    excused = "excused" if result.totals.excused else ""
    return [facts.received, facts.received_from, slip_days, excused, facts.sha256]


def replace_file(path: Path, data: str | bytes) -> None:
    """Write to a new file, then rename: if the disk is full, the last run's file stays intact."""
    fresh = path.with_suffix(path.suffix + ".new")
    try:
        fresh.write_bytes(data.encode("utf-8") if isinstance(data, str) else data)
        fresh.replace(path)
    except OSError:
        fresh.unlink(missing_ok=True)
        raise
