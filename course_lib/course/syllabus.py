"""Load and validate `course.toml`; an error is one sentence with file and line."""

from __future__ import annotations

import datetime
import sys
from functools import cached_property, lru_cache
from pathlib import Path
from typing import Any

from pydantic import Field, ValidationError, model_validator

from .exercise import Exercise, Misplaced, ModelPart, Table
from .grading import Grading
from .toml_lines import line_of

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

ROOT = Path(__file__).resolve().parents[2]


class SyllabusError(Exception):
    """An error in `course.toml`, with file and line."""


class Part(Table):
    """One of the seven parts of the lecture."""

    number: int
    title: str


class Week(Table):
    """What a week covers, and the assignment handed out in it."""

    number: int
    parts: list[int]
    assignment: str | None = None


class Assignment(Table):
    """One assignment with its exercises, dates and rules."""

    id: str = Field(pattern=r"^a\d+$")
    title: str
    build: str
    source: str
    week: int
    released: datetime.date
    due: datetime.datetime
    late_days: int = Field(ge=0)
    late_penalty_percent: float = Field(ge=0, le=100)
    weight_percent: float = Field(ge=0, le=100)
    seed: int = Field(ge=0)
    compute: str
    prerequisites: list[str]
    call_seconds: float = Field(default=2.0, gt=0)
    imports: list[str]
    forbidden: list[str] = []
    model: ModelPart | None = None
    exercises: list[Exercise]

    @cached_property
    def minutes(self) -> int:
        return sum(exercise.minutes for exercise in self.exercises if not exercise.bonus)

    @cached_property
    def files(self) -> list[str]:
        """Names of the files that are handed in beside the notebook."""
        of_exercises = [name for exercise in self.exercises for name in exercise.files]
        return [*(self.model.files if self.model else []), *of_exercises]

    def exercise(self, id: str) -> Exercise:
        """The exercise with this id. Raises KeyError, listing the known ones."""
        for exercise in self.exercises:
            if exercise.id == id:
                return exercise
        known = ", ".join(exercise.id for exercise in self.exercises)
        raise KeyError(f"assignment {self.id} has no exercise {id!r}; it has {known}")

    def forbidden_in(self, exercise: Exercise) -> list[str]:
        """Dotted names that this exercise must not use."""
        shared = [name for name in self.forbidden if name not in exercise.allowed]
        return shared + exercise.forbidden

    def upstream(self, exercise: Exercise) -> list[str]:
        """Ids of all exercises it depends on, transitively, in course order."""
        found: set[str] = set()
        waiting = list(exercise.depends_on)
        while waiting:
            id = waiting.pop()
            if id not in found:
                found.add(id)
                waiting += self.exercise(id).depends_on
        return [e.id for e in self.exercises if e.id in found]

    def downstream(self, id: str) -> list[str]:
        """Ids of all exercises that depend on it, transitively."""
        return [e.id for e in self.exercises if id in self.upstream(e)]

    @model_validator(mode="after")
    def _adds_up(self) -> Assignment:
        total = sum(exercise.points for exercise in self.exercises if not exercise.bonus)
        if total != 100:
            raise ValueError(
                f"the exercises of {self.id} have {total:g} points without bonuses instead of "
                "100: change an exercise's points"
            )
        ids = [exercise.id for exercise in self.exercises]
        for number, exercise in enumerate(self.exercises):
            if exercise.id in ids[:number]:
                raise Misplaced(
                    f"exercise {exercise.id} is in {self.id} twice: rename one",
                    *("exercises", number, "id"),
                )
            for other in exercise.depends_on:
                if other not in ids[:number]:
                    why = "does not come before it" if other in ids else "does not exist"
                    raise Misplaced(
                        f"exercise {exercise.id} depends on {other}, which {why}",
                        *("exercises", number, "depends_on"),
                    )
        if self.model is None and any(e.kind == "model" for e in self.exercises):
            raise ValueError(f"{self.id} grades a model: add a table [assignments.model]")
        if self.due.tzinfo is None:
            raise Misplaced(
                f"the due date of {self.id} has no time zone: write +00:00 after it", "due"
            )
        return self


class CourseFacts(Table):
    """Settings of the whole course."""

    title: str
    paper: str
    student_repository: str
    reserved: list[str] = []  # components of future assignments; students get stubs until then


class LatePolicy(Table):
    """What holds for late submissions of all assignments."""

    grace_minutes: int = Field(default=0, ge=0)  # after the due time and after each late day
    slip_days: int = Field(default=0, ge=0)  # late days without a penalty, for the whole course


class Syllabus(Table):
    """The whole of `course.toml`."""

    course: CourseFacts
    late: LatePolicy = LatePolicy()
    parts: list[Part]
    weeks: list[Week]
    assignments: list[Assignment]
    grading: Grading = Grading()

    @cached_property
    def weights(self) -> dict[str, float]:
        """The weight of each assignment, in percent of the grade or of its group."""
        return {assignment.id: assignment.weight_percent for assignment in self.assignments}

    def assignment(self, id: str) -> Assignment:
        """The assignment with this id. Raises KeyError, listing the known ones."""
        for assignment in self.assignments:
            if assignment.id == id:
                return assignment
        known = ", ".join(assignment.id for assignment in self.assignments)
        raise KeyError(f"there is no assignment {id!r}; the course has {known}")

    def assignment_of(self, exercise_id: str) -> Assignment:
        """The assignment that an exercise id belongs to: "1.4" → a1."""
        return self.assignment(f"a{exercise_id.partition('.')[0]}")

    @model_validator(mode="after")
    def _refers(self) -> Syllabus:
        parts = {part.number for part in self.parts}
        ids = {assignment.id for assignment in self.assignments}
        weeks = {week.number for week in self.weeks}
        for number, week in enumerate(self.weeks):
            if unknown := set(week.parts) - parts:
                raise Misplaced(
                    f"week {week.number} names part {unknown.pop()}, which does not exist",
                    *("weeks", number, "parts"),
                )
            if week.assignment and week.assignment not in ids:
                raise Misplaced(
                    f"week {week.number} names {week.assignment}, which does not exist",
                    *("weeks", number, "assignment"),
                )
        for number, assignment in enumerate(self.assignments):
            if assignment.week not in weeks:
                raise Misplaced(
                    f"{assignment.id} is due in week {assignment.week}, which does not exist",
                    *("assignments", number, "week"),
                )
        return self


def public_tests(assignment: str) -> list[Path]:
    """The files of an assignment's visible tests, one per exercise."""
    return sorted((ROOT / "assignments" / assignment / "public_tests").glob("*.py"))


@lru_cache(maxsize=4)
def load(path: Path = ROOT / "course.toml") -> Syllabus:
    """Load and validate a syllabus. Raises SyllabusError, one sentence with file and line."""
    try:
        text = path.read_text(encoding="utf-8")
    except OSError as error:
        raise SyllabusError(
            f"{path}: cannot be read ({error.strerror}); run in a checkout of the course"
        ) from None
    try:
        data = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise SyllabusError(f"{path}: not valid TOML: {error}") from None
    try:
        course = Syllabus.model_validate(data)
    except ValidationError as error:
        found = error.errors()  # a misspelled key explains the missing one
        first = next((e for e in found if e["type"] == "extra_forbidden"), found[0])
        cause = first.get("ctx", {}).get("error")
        line = line_of(text, (*first["loc"], *getattr(cause, "at", ())))
        raise SyllabusError(f"{path}, line {line}: {_sentence(first)}") from None
    if problem := course.grading.problem(course.weights):
        raise SyllabusError(f"{path}, line {line_of(text, problem[0])}: {problem[1]}")
    return course


def _sentence(error: Any) -> str:
    key = str(error["loc"][-1]) if error["loc"] else "course.toml"
    if error["type"] == "extra_forbidden":
        return f"unknown key {key!r}: remove it or correct its spelling"
    if error["type"] == "missing":
        return f"the key {key!r} is missing: add it"
    if error["type"] == "value_error":
        return str(error["ctx"]["error"])
    return f"{key} = {error['input']!r}: {error['msg'][0].lower()}{error['msg'][1:]}"
