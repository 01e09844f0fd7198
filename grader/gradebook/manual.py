"""Manual marks: points for written parts, overrides of automatic points, comments.

They come from a CSV with the columns student, assignment, item, points and perhaps comment. `item`
is a written part ("1.11.a"), the id of a code exercise ("1.4"), whose automatic points it
overrides, or empty for a comment on the whole assignment. A row without points only comments; a row
without both, as in an unfilled template, is ignored. "-" for points withdraws an earlier mark.
Two more columns may be there: `marker` (who gives it), and `answer_sha256`, the beginning of the
hash of the answer that it is given for (else that is the newest).
"""

import re
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from grader.course.assignment import Assignment
from grader.course.course import Course

from ..classroom.csv_file import CsvFile, Row, check_name
from . import answers
from .answers import WHOLE
from .exercise_result import Criterion, ExerciseResult, Number
from .result import Held, Override, Result

COLUMNS = ["student", "assignment", "item", "points", "comment"]
NEEDED = COLUMNS[:-1]
WITHDRAWN = "-"
Item = tuple[str, str, str]  # student, assignment, item


@dataclass(frozen=True)
class ManualMark:
    """Points, or None for a comment alone; None without a comment withdraws an earlier mark.

    Marks are equal if they have the same points and comment, whoever gave them, whenever and for
    whichever answer.
    """

    points: float | None
    comment: str = ""
    marker: str = field(default="", compare=False)
    answer_sha256: str | None = field(default=None, compare=False)  # None: for whatever is there
    given_at: str = field(default="", compare=False)
    only_comments: bool = field(default=False, compare=False)  # points given before stay
    rubric: tuple[Criterion, ...] = field(default=(), compare=False)  # empty: not marked by it

    def counts_for(self, answer_sha256: str | None) -> bool:
        """Whether the answer is still the one that it was given for, as far as anybody knows."""
        return None in (self.answer_sha256, answer_sha256) or self.answer_sha256 == answer_sha256


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

    def outdated(self, results: Iterable[Result]) -> list[str]:
        """A warning for each mark that course.toml would refuse since its items have changed."""
        graded = {(result.student, result.assignment) for result in results}
        found = []
        for (student, assignment, item), mark in self.marks.items():
            try:
                if (student, assignment) in graded and mark.points is not None:
                    checked(mark.points, item, points_of(self.course.assignment(assignment), item))
            except (KeyError, ValueError) as error:
                found.append(f"a mark of {student} is older than course.toml: {error.args[0]}")
        return found


def read(path: str | Path, course: Course, students: Collection[str] | None = None) -> ManualMarks:
    """Read a CSV of marks; other columns are ignored. `students`: those who may have marks.

    Raises CsvError, which lists every bad row.
    """
    rows = CsvFile.read(path, NEEDED).each(lambda row: _row(row, course, students), _unique)
    return ManualMarks(course, dict(rows))


def columns(path: str | Path) -> set[str]:
    """The names in the first line of a CSV of marks. Raises CsvError."""
    return {name for name in CsvFile.read(path, NEEDED).columns if name}


def _unique(row: tuple[Item, ManualMark]) -> list[str]:
    (student, assignment, item), _ = row
    return [f"{student} has {item or f'a comment on {assignment}'}"]


def _row(
    row: Row, course: Course, students: Collection[str] | None
) -> tuple[Item, ManualMark] | None:
    """One row's item and mark, or None if it is blank. Raises ValueError, without the line."""
    student, assignment, name, points = (row[column] for column in NEEDED)
    comment, answer = row.get("comment", ""), row.get("answer_sha256", "").casefold()
    if not points and not comment:
        return None
    if not student:
        raise ValueError("no student: write the name of the submission's folder")
    if points != WITHDRAWN:  # a mark of somebody who is gone can be taken back
        check_name(student, students)
    if answer and not re.fullmatch(r"[0-9a-f]{8,64}", answer):
        raise ValueError(
            f"answer_sha256 = {answer!r} is not a hash: leave it as it is in to_mark.csv"
        )
    item, value = (student, assignment, name), None
    try:
        most = points_of(course.assignment(assignment), name)
    except KeyError as error:
        raise ValueError(error.args[0]) from None
    if points not in ("", WITHDRAWN):
        value = checked(_number(points, most), name, most)
    by, only_comments = row.get("marker", ""), not points
    return item, ManualMark(value, comment, by, answer or None, only_comments=only_comments)


def _number(points: str, most: float) -> float:
    try:
        return float(points.replace(",", "."))
    except ValueError:
        raise ValueError(f"points are {points!r}, not a number: write 0 to {most:g}") from None


def checked(points: float, item: str, most: float) -> float:
    """The points, if the item allows them. Raises ValueError."""
    if item == WHOLE:
        raise ValueError("a comment on the whole assignment has no points: leave them out")
    if not 0 <= points <= most:  # also refuses nan
        raise ValueError(f"{points:g} points for {item}, which allows 0 to {most:g}: correct them")
    return points


def points_of(assignment: Assignment, item: str) -> float:
    """The most points of a written part or a code exercise, 0 for a comment on all of it.

    Raises KeyError for anything else.
    """
    items = {WHOLE: 0.0}
    for exercise in assignment.exercises:
        if exercise.kind != "written":
            items[exercise.id] = exercise.points
        items.update({f"{exercise.id}.{part.id}": part.points for part in exercise.parts})
        if exercise.parts and item == exercise.id:
            parts = ", ".join(f"{item}.{part.id}" for part in exercise.parts)
            raise KeyError(f"exercise {item} is marked part by part: write {parts}")
    if item not in items:
        known = ", ".join(filter(None, items))
        raise KeyError(f"{assignment.id} has no item {item!r} to mark; it has {known}")
    return items[item]


def apply(result: Result, manual: ManualMarks) -> Result:
    """The result with the marks of written parts, overrides of automatic points and comments.

    It always starts from the automatic points, so applying twice, or after a mark was withdrawn,
    gives what the marks say now. A part without a mark is pending. A mark whose answer has changed
    does not count; it is `held`.
    """
    before = {override.exercise: override.was for override in result.overrides}
    marks = _Marks(result, manual)
    exercises, overrides = [], []
    for exercise in result.exercises:
        if exercise.kind == "written":
            exercises.append(_filled(exercise, marks))
            continue
        if exercise.id in before:
            exercise = _with_points(exercise, before[exercise.id])
        mark = marks.of(exercise.id)
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
    facts: dict[str, Any] = {"comment": marks.of(WHOLE).comment, "held": marks.held}
    told = {name: fact for name, fact in facts.items() if fact or getattr(result, name)}
    assignment = manual.course.assignment(result.assignment)
    return result.changed(assignment, exercises=exercises, overrides=overrides, **told)


class _Marks:
    """The marks of one result that count; asked for one that does not, it is put into `held`."""

    def __init__(self, result: Result, manual: ManualMarks):
        self._result, self._manual, self.held = result, manual, list[Held]()

    def of(self, item: str) -> ManualMark:
        key = (self._result.student, self._result.assignment, item)
        mark = self._manual.marks.get(key, ManualMark(None))
        if mark.counts_for(answers.sha256_of(self._result, item)):
            return mark
        facts = {name: getattr(mark, name) for name in ("points", "comment", "marker", "given_at")}
        self.held.append(Held(item=item, answer_sha256=mark.answer_sha256 or "", **facts))
        return ManualMark(None)


def _filled(exercise: ExerciseResult, marks: _Marks) -> ExerciseResult:
    """A written exercise with the marks of its parts."""
    if not exercise.parts:
        return exercise
    parts = []
    for part in exercise.parts:
        mark = marks.of(part.id)
        marked: dict[str, Any] = {"points": mark.points, "comment": mark.comment}
        if mark.rubric or part.rubric:
            marked["rubric"] = [*mark.rubric]
        parts.append(part.model_copy(update=marked))
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
