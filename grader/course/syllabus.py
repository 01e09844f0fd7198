"""Load and validate `course.toml` and `exam.toml`; an error is one sentence with file and line."""

from __future__ import annotations

import datetime
from functools import cached_property, lru_cache
from pathlib import Path

from pydantic import Field, model_validator

from . import course_file
from .course_file import SyllabusError
from .exercise import Exercise, Misplaced, ModelPart, Table
from .grading import Grading
from .profile_choice import ProfileChoice
from .toml_lines import line_of

ROOT = Path(__file__).resolve().parents[2]
EXAM = "exam"  # the id of the coding exam, and the name of its file and notebook


class Part(Table):
    """One of the seven parts of the lecture."""

    number: int
    title: str


class Week(Table):
    """What a week covers, and the assignment that is worked on in it."""

    number: int
    parts: list[int]
    assignment: str | None = None


class Assignment(Table):
    """One assignment, or the coding exam, with its exercises, dates and rules."""

    id: str = Field(pattern=rf"^(a\d+|{EXAM})$")
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
    profiles: ProfileChoice | None = None
    exercises: list[Exercise]

    @property
    def label(self) -> str:
        """What it is called before its title: "Assignment 2"."""
        return "Exam" if self.id == EXAM else f"Assignment {self.id.removeprefix('a')}"

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
    student_repository: str = ""  # on GitHub, or the address of a zip; empty: not there yet
    student_branch: str = Field(default="main", pattern=r"^[\w./-]+$")  # which students fetch
    source_repository: str = ""  # on GitHub or GitLab, with lectures/; empty: pages link to none
    reserved: list[str] = []  # components of future assignments; students get stubs until then


class LatePolicy(Table):
    """What holds for late submissions of all assignments."""

    grace_minutes: int = Field(default=0, ge=0)  # after the due time and after each late day
    slip_days: int = Field(default=0, ge=0)  # late days without a penalty, for the whole course


class Syllabus(Table):
    """The whole of `course.toml`, and the coding exam of `exam.toml` beside it.

    Releases, weeks and weights know the `assignments` only; students do not have `exam.toml`.
    """

    course: CourseFacts
    late: LatePolicy = LatePolicy()
    parts: list[Part]
    weeks: list[Week]
    assignments: list[Assignment]
    grading: Grading = Grading()
    exam: Assignment | None = None

    @property
    def graded(self) -> list[Assignment]:
        """All that is handed in and graded: the assignments and the coding exam."""
        return [*self.assignments, *([self.exam] if self.exam else [])]

    @cached_property
    def weights(self) -> dict[str, float]:
        """The weight of each assignment, in percent of the grade or of its group."""
        return {assignment.id: assignment.weight_percent for assignment in self.assignments}

    def weeks_of(self, assignment: Assignment) -> list[int]:
        """The weeks in which an assignment is worked on; in the first it is handed out."""
        named = {week.number for week in self.weeks if week.assignment == assignment.id}
        return sorted(named | {assignment.week})

    def assignment(self, id: str) -> Assignment:
        """The assignment with this id, or the exam. Raises KeyError, listing the known ones."""
        for assignment in self.graded:
            if assignment.id == id:
                return assignment
        known = ", ".join(assignment.id for assignment in self.graded)
        raise KeyError(f"there is no assignment {id!r}; the course has {known}")

    def assignment_of(self, exercise_id: str) -> Assignment:
        """The assignment that an exercise id belongs to: "1.4" → a1, and "0.4" → the exam."""
        number = exercise_id.partition(".")[0]
        return self.assignment(EXAM if number == "0" else f"a{number}")

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
                    f"{assignment.id} is handed out in week {assignment.week}, which does not "
                    "exist",
                    *("assignments", number, "week"),
                )
            if (first := self.weeks_of(assignment)[0]) < assignment.week:
                raise Misplaced(
                    f"{assignment.id} is handed out in week {assignment.week}, but week {first} "
                    "names it already",
                    *("assignments", number, "week"),
                )
        return self


def public_tests(assignment: str) -> list[Path]:
    """The files of an assignment's visible tests, one per exercise."""
    return sorted((ROOT / "assignments" / assignment / "public_tests").glob("*.py"))


@lru_cache(maxsize=4)
def load(path: Path = ROOT / "course.toml") -> Syllabus:
    """Load and validate a syllabus, with the exam beside it if there is one.

    Raises SyllabusError, one sentence with file and line.
    """
    course, text = course_file.read(path, Syllabus)
    if problem := course.grading.problem(course.weights):
        raise SyllabusError(f"{path.name}, line {line_of(text, problem[0])}: {problem[1]}")
    beside = path.with_name(f"{EXAM}.toml")
    return course.model_copy(
        update={"exam": course_file.read(beside, Assignment)[0]} if beside.exists() else {}
    )
