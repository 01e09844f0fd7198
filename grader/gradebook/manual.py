"""Manual marks: points for written parts, overrides of automatic points, comments.

They come from a CSV with the columns student, assignment, item, points, comment. `item` is a
written part ("1.11.a") or the id of a code exercise ("1.4"), whose automatic points it overrides. A
row without points only comments; a row without both, as in an unfilled template, is ignored. "-"
for points withdraws an earlier mark.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from ..classroom.csv_file import CsvFile, Row
from .exercise_result import ExerciseResult, Number
from .result import Override, Result

if TYPE_CHECKING:
    from grader.course.assignment import Assignment
    from grader.course.course import Course

COLUMNS = ["student", "assignment", "item", "points", "comment"]
WITHDRAWN = "-"
Item = tuple[str, str, str]  # student, assignment, item


@dataclass(frozen=True)
class ManualMark:
    """Points, or None for a comment alone; None without a comment withdraws an earlier mark."""

    points: float | None
    comment: str = ""


@dataclass(frozen=True)
class ManualMarks:
    """All manual marks, and the syllabus with the items they refer to."""

    course: Course
    marks: Mapping[Item, ManualMark] = field(default_factory=dict)

    def unknown(self, results: Iterable[Result]) -> list[str]:
        """A warning for each student who has marks but no result."""
        graded = {(result.student, result.assignment) for result in results}
        marked = {item[:2] for item, mark in self.marks.items() if mark != ManualMark(None)}
        missing = sorted(marked - graded)
        return [
            f"there are marks for {student} in {assignment}, but no graded submission; "
            f"grade it, or withdraw them by rows with {WITHDRAWN} for points"
            for student, assignment in missing
        ]


def read(path: str | Path, course: Course) -> ManualMarks:
    """Read a CSV of marks; other columns are ignored.

    Raises CsvError, which lists every bad row.
    """
    rows = CsvFile.read(path, COLUMNS).each(lambda row: _row(row, course), _unique)
    return ManualMarks(course, dict(rows))


def columns(path: str | Path) -> set[str]:
    """The names in the first line of a CSV of marks. Raises CsvError."""
    return {name for name in CsvFile.read(path, COLUMNS).columns if name}


def _unique(row: tuple[Item, ManualMark]) -> list[str]:
    (student, _, item), _ = row
    return [f"{student} has {item}"]


def _row(row: Row, course: Course) -> tuple[Item, ManualMark] | None:
    """One row's item and mark, or None if it is blank. Raises ValueError, without the line."""
    student, assignment, name, points, comment = (row[column] for column in COLUMNS)
    if not points and not comment:
        return None
    item = (student, assignment, name)
    return item, _mark(item, points, comment, course)


def _mark(item: Item, points: str, comment: str, course: Course) -> ManualMark:
    """The mark of a row. Raises ValueError, without the line."""
    student, assignment, name = item
    if not student:
        raise ValueError("no student: write the name of the submission's folder")
    try:
        most = _points_of(course.assignment(assignment), name)
    except KeyError as error:
        raise ValueError(error.args[0]) from None
    if points in ("", WITHDRAWN):
        return ManualMark(None, comment)
    try:
        value = float(points.replace(",", "."))
    except ValueError:
        raise ValueError(f"points are {points!r}, not a number: write 0 to {most:g}") from None
    if not 0 <= value <= most:  # also refuses nan
        raise ValueError(f"{points} points for {name}, which allows 0 to {most:g}: correct them")
    return ManualMark(value, comment)


def _points_of(assignment: Assignment, item: str) -> float:
    """The most points of a written part or a code exercise. Raises KeyError for anything else."""
    items = {}
    for exercise in assignment.exercises:
        if exercise.kind != "written":
            items[exercise.id] = exercise.points
        items.update({f"{exercise.id}.{part.id}": part.points for part in exercise.parts})
        if exercise.parts and item == exercise.id:
            parts = ", ".join(f"{item}.{part.id}" for part in exercise.parts)
            raise KeyError(f"exercise {item} is marked part by part: write {parts}")
    if item not in items:
        known = ", ".join(items)
        raise KeyError(f"{assignment.id} has no item {item!r} to mark; it has {known}")
    return items[item]


def apply(result: Result, manual: ManualMarks) -> Result:
    """The result with the marks of written parts and the overrides of automatic points.

    It always starts from the automatic points, so applying twice, or after a mark was withdrawn,
    gives what the marks say now. A part without a mark is pending.
    """
    before = {override.exercise: override.was for override in result.overrides}
    exercises, overrides = [], []
    for exercise in result.exercises:
        item = (result.student, result.assignment, exercise.id)
        if exercise.kind == "written":
            exercises.append(_filled(exercise, item, manual))
            continue
        if exercise.id in before:
            exercise = _with_points(exercise, before[exercise.id])
        mark = manual.marks.get(item, ManualMark(None))
        if mark.points is not None:
            overrides.append(
                Override(
                    exercise=exercise.id,
                    points=mark.points,
                    comment=mark.comment,
                    was=exercise.points,
                )
            )
            exercise = _with_points(exercise, mark.points)
        exercises.append(_with_comment(exercise, mark.comment))
    assignment = manual.course.assignment(result.assignment)
    return result.changed(assignment, exercises=exercises, overrides=overrides)


def _filled(exercise: ExerciseResult, item: Item, manual: ManualMarks) -> ExerciseResult:
    """A written exercise with the marks of its parts."""
    if not exercise.parts:
        return exercise
    parts = []
    for part in exercise.parts:
        mark = manual.marks.get((item[0], item[1], part.id), ManualMark(None))
        parts.append(part.model_copy(update={"points": mark.points, "comment": mark.comment}))
    given = [part.points for part in parts if part.points is not None]
    whole = len(given) == len(parts)
    facts = {
        "points": round(sum(given), 2) if given else None,
        "status": "marked" if whole else "partly marked" if given else "pending",
        "parts": parts,
    }
    return exercise.model_copy(update=facts)


def _with_points(exercise: ExerciseResult, points: Number | None) -> ExerciseResult:
    """The exercise with other points, and the status that goes with them."""
    status = "zero" if exercise.written else "not written"
    if points is None:
        status = "pending"
    elif points >= exercise.max_points:
        status = "full"
    elif points > 0:
        status = "partial"
    return exercise.model_copy(update={"points": points, "status": status})


def _with_comment(exercise: ExerciseResult, comment: str) -> ExerciseResult:
    """The exercise with this comment; if it is empty, without the field."""
    if comment:
        return exercise.model_copy(update={"comment": comment})
    kept = exercise.model_fields_set - {"comment"}
    return ExerciseResult(**{name: getattr(exercise, name) for name in kept})
