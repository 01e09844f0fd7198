"""results.json; grades.csv with a row per student and assignment; the same with a row per test."""

import csv
import datetime
import io
import json
from collections.abc import Collection, Iterator, Sequence
from pathlib import Path
from typing import Any

from grader.course.course import Course

from ..classroom.csv_file import plain, safe
from ..classroom.roster import Roster
from ..gradebook.exercise_result import ExerciseResult
from ..gradebook.lateness import moment
from ..gradebook.result import Result
from ..gradebook.totals import WITHOUT_POINTS

_SUMS = ["automatic", "manual", "pending", "bonus", "late_days", "penalty", "total", "max"]
_RECEIPT = ["received", "received_from", "slip_days", "excused", "sha256", "held"]
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
    # an item that has a number alone would be one in a spreadsheet: 1.10 would be 1.1
    held = " ".join(f"A{mark.item}" for mark in result.held)
    return [facts.received, facts.received_from, slip_days, excused, facts.sha256, held]


def replace_file(path: Path, data: str | bytes) -> None:
    """Write to a new file, then rename: if the disk is full, the last run's file stays intact."""
    fresh = path.with_suffix(path.suffix + ".new")
    try:
        fresh.write_bytes(data.encode("utf-8") if isinstance(data, str) else data)
        fresh.replace(path)
    except OSError:
        fresh.unlink(missing_ok=True)
        raise


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


def to_long_csv(results: Sequence[Result], roster: Roster) -> str:
    """One row per student, assignment, exercise and test; safe to open in a spreadsheet.

    A written part and a trained model are rows too, and so is a submission that could not be
    graded: everybody with a result is there. Exercises are called A1.10, as a number it would
    become 1.1.

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
        held = [mark.item for mark in result.held]
        inner = [row for e in result.exercises for row in _exercise(e, held)] if graded else []
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


def _exercise(exercise: ExerciseResult, held: Collection[str]) -> Iterator[dict[str, Any]]:
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
        outcome = "marked" if part.points is not None else "held" if part.id in held else "pending"
        yield common | {
            "test": part.id,
            "title": part.title,
            "outcome": outcome,
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
