"""Results in long form, as CSV: one row per student, assignment, exercise and test.

A written part and a trained model are rows too, and so is a submission that could not be graded:
everybody with a result is there. Exercises are called A1.10, as a number it would become 1.1.
"""

from __future__ import annotations

import csv
import datetime
import io
from collections.abc import Iterator, Sequence
from typing import Any

from ..classroom.csv_file import safe
from ..classroom.roster import Roster
from ..gradebook.exercise_result import ExerciseResult
from ..gradebook.lateness import moment
from ..gradebook.result import Result
from ..gradebook.totals import WITHOUT_POINTS

COLUMNS = (
    "student",
    "name",
    "section",
    "assignment",
    "submission_outcome",
    "received",
    "graded_at",
    "late_days",
    "assignment_points",
    "assignment_max",
    "exercise",
    "kind",
    "bonus",
    "exercise_points",
    "exercise_max",
    "test",
    "title",
    "visible",
    "outcome",
    "points",
    "max_points",
    "sha256",
)


def to_csv(results: Sequence[Result], roster: Roster) -> str:
    """Safe to open in a spreadsheet.

    Times are ISO 8601 in UTC, truth values true and false; what is not known is empty.
    """
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(COLUMNS)
    for row in rows(results, roster):
        writer.writerow([_cell(row[name]) for name in COLUMNS])
    return out.getvalue()


def rows(results: Sequence[Result], roster: Roster) -> Iterator[dict[str, Any]]:
    """Every row, with all columns; None is what does not apply or is not known yet."""
    for result in results:
        of_submission = dict.fromkeys(COLUMNS) | _submission(result, roster)
        graded = result.outcome not in WITHOUT_POINTS
        inner = [row for e in result.exercises for row in _exercise(e)] if graded else []
        for row in inner or [{}]:
            yield of_submission | row


def _submission(result: Result, roster: Roster) -> dict[str, Any]:
    student, totals = roster.student(result.student), result.totals
    received = result.submission.received
    return {
        "student": result.student,
        "name": student.name or None,
        "section": student.section or None,
        "assignment": result.assignment,
        "submission_outcome": result.outcome,
        "received": moment(received) if received else None,
        "graded_at": moment(result.graded_at) if result.graded_at else None,
        "late_days": totals.late_days,
        "assignment_points": _number(totals.total),
        "assignment_max": _number(totals.max),
        "sha256": result.submission.sha256,
    }


def _exercise(exercise: ExerciseResult) -> Iterator[dict[str, Any]]:
    common = {
        "exercise": f"A{exercise.id}",
        "kind": exercise.kind,
        "bonus": exercise.bonus,
        "exercise_points": _number(exercise.points),
        "exercise_max": _number(exercise.max_points),
    }
    for test in exercise.tests:
        yield common | {
            "test": test.id,
            "title": test.title,
            "visible": test.public,
            "outcome": test.outcome,
            "points": _number(test.points),
            "max_points": _number(test.max_points),
        }
    for part in exercise.parts:
        yield common | {
            "test": part.id,
            "title": part.title,
            "outcome": "pending" if part.points is None else "marked",
            "points": _number(part.points),
            "max_points": _number(part.max_points),
        }
    if not exercise.tests and not exercise.parts:
        yield common | {
            "title": exercise.title,
            "outcome": exercise.status,
            "points": _number(exercise.points),
            "max_points": _number(exercise.max_points),
        }


def _number(value: float | None) -> float | None:
    return None if value is None else float(value)


def _cell(value: Any) -> Any:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, datetime.datetime):
        return value.astimezone(datetime.timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ")
    return safe(value) if isinstance(value, str) else value
