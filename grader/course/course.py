"""A course: a folder with `course.toml`, the only source of titles, points, dates and file lists.

Conventions that the engine relies on, all below the course's root: `assignments/ID/ID.ipynb` is a
built starter with `public_tests/` beside it, `solutions/ID.ipynb` the executed solution, `results/`
what was measured, `data/` the registry of data sets. `exam.toml` is a coding exam in the form of an
assignment. The names of the library and of the folder of hidden things are in `course.toml`.
"""

from __future__ import annotations

import datetime
import importlib
from functools import cached_property, lru_cache
from pathlib import Path
from typing import Any

from pydantic import Field, PrivateAttr, model_validator

from . import course_file
from .course_file import CourseError
from .exercise import Checklist, Exercise, Misplaced, ModelPart, Table
from .grading import Grading
from .profile_choice import ProfileChoice
from .toml_lines import line_of

FILE, EXAM_FILE = "course.toml", "exam.toml"


class Part(Table):
    """One of the seven parts of the lecture."""

    number: int
    title: str


class Week(Table):
    """What a week covers, and the assignment that is worked on in it."""

    number: int
    parts: list[int]
    assignment: str | None = None


Ban = tuple[list[str], str]  # forbidden names, and what to use in place of them


class Assignment(Table):
    """One assignment, or the coding exam, with its exercises, dates and rules."""

    id: str = Field(pattern=r"^[a-z][a-z0-9_]*$")
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
    forbidden: list[str] = []  # dotted names, which may end in *
    instead: str = ""  # what to use in place of them: follows "Use"
    model: ModelPart | None = None
    checklist: Checklist | None = None
    profiles: ProfileChoice | None = None
    exercises: list[Exercise]

    _root: Path = PrivateAttr(default=Path())
    _hidden: str = PrivateAttr(default="")
    _label: str = PrivateAttr(default="")
    _scorer: str = PrivateAttr(default="")

    @property
    def label(self) -> str:
        """What it is called before its title: "Assignment 2"."""
        return self._label

    @property
    def root(self) -> Path:
        """The root of the course that it belongs to."""
        return self._root

    @property
    def folder(self) -> Path:
        """What students get of it: the starter, its README, drawings, visible tests."""
        return self._root / "assignments" / self.id

    @property
    def starter(self) -> Path:
        return self.folder / f"{self.id}.ipynb"

    @property
    def public_tests(self) -> list[Path]:
        """The files of its visible tests, one per exercise."""
        return sorted((self.folder / "public_tests").glob("*.py"))

    @property
    def solution(self) -> Path:
        """The executed notebook with the model answers."""
        return self._root / "solutions" / f"{self.id}.ipynb"

    @property
    def scorer(self) -> Any:
        """What scores its trained model, named in [course.scorers]. Raises CourseError."""
        return imported(f"[course.scorers] {self.model and self.model.measure}", self._scorer)()

    @property
    def hidden(self) -> Path:
        """What students do not see of it: a folder an exercise, and what its tests share."""
        return self._root / self._hidden / self.id

    def hidden_folder(self, exercise: str) -> Path:
        """The folder of an exercise's hidden tests and its named mistakes."""
        return self.hidden / f"exercise_{exercise.replace('.', '_')}"

    @property
    def hidden_code(self) -> list[Path]:
        """Its hidden tests, what they share, and its reference: no variants."""
        kinds = ("*.py", "exercise_*/*.py")
        return [path for kind in kinds for path in sorted(self.hidden.glob(kind))]

    def hidden_tests(self, hidden: Path | None = None) -> list[Path]:
        """The files of its hidden tests, or of those in a copy of `hidden`, by exercise."""
        names = [self.hidden_folder(exercise.id).name for exercise in self.exercises]
        folders = [(hidden or self.hidden) / name for name in names]
        return [path for folder in folders for path in sorted(folder.glob("test_*.py"))]

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
        return [name for names, _ in self.bans(exercise) for name in names]

    def bans(self, exercise: Exercise) -> list[Ban]:
        """What an exercise forbids, and what to use in place of it."""
        shared = [name for name in self.forbidden if name not in exercise.allowed]
        found = [(shared, self.instead), (exercise.forbidden, exercise.instead)]
        return [(names, instead) for names, instead in found if names]

    @property
    def forbidden_anywhere(self) -> list[str]:
        """What at least one exercise forbids."""
        of_exercises = [name for exercise in self.exercises for name in exercise.forbidden]
        return [*self.forbidden, *of_exercises]

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


class StudentCommand(Table):
    """A command of the course's own for students."""

    module: str  # has `add_arguments(command)` and `run(options, work)`, see `StudentWork`
    help: str
    assignment: str  # whose notebook and folder it may use


class CourseFacts(Table):
    """Settings of the whole course."""

    title: str
    paper: str
    student_repository: str = ""  # on GitHub, or the address of a zip; empty: not there yet
    student_branch: str = Field(default="main", pattern=r"^[\w./-]+$")  # which students fetch
    source_repository: str = ""  # on GitHub or GitLab, with lectures/; empty: pages link to none
    reserved: list[str] = []  # components of future assignments; students get stubs until then
    library: str  # the package whose components are the exercises
    hidden: str  # the folder, and package, of hidden tests, mistakes, variants and references
    shared: list[str] = []  # packages of the library without components: students have them whole
    commands: dict[str, str] = {}  # the course's own, beside the grader's: name → "module:app"
    plugins: dict[str, str] = {}  # what the engine asks a course for: see `Course.plugin`
    scorers: dict[str, str] = {}  # of trained models: measure → "module:class"
    student_commands: dict[str, StudentCommand] = {}  # the course's own, beside `student check`


class LatePolicy(Table):
    """What holds for late submissions of all assignments."""

    grace_minutes: int = Field(default=0, ge=0)  # after the due time and after each late day
    slip_days: int = Field(default=0, ge=0)  # late days without a penalty, for the whole course


class Course(Table):
    """The whole of `course.toml`, and the coding exam of `exam.toml` beside it.

    Releases, weeks and weights know the `assignments` only; students do not have `exam.toml`.
    """

    facts: CourseFacts = Field(alias="course")
    late: LatePolicy = LatePolicy()
    parts: list[Part]
    weeks: list[Week]
    assignments: list[Assignment]
    grading: Grading = Grading()
    exam: Assignment | None = None

    _root: Path = PrivateAttr(default=Path())

    @classmethod
    def load(cls, path: Path) -> Course:
        """The course of a file `course.toml`, with the exam beside it if there is one.

        Raises CourseError, one sentence with file and line.
        """
        return _load(path, *map(_stamp, (path, path.with_name(EXAM_FILE))))

    @classmethod
    def here(cls) -> Course:
        """The course that the current folder lies in, or else the one that this program lies in.

        Raises CourseError.
        """
        return cls.load(root_of(Path.cwd()) / FILE)

    @property
    def root(self) -> Path:
        """The folder of `course.toml`."""
        return self._root

    @cached_property
    def version(self) -> str:
        """The version of the course's library."""
        return str(importlib.import_module(self.facts.library).__version__)

    @property
    def library(self) -> Path:
        """The folder of the course's library, whose components are the exercises."""
        return self.root / self.facts.library

    @property
    def hidden(self) -> Path:
        """The folder of what students do not see: hidden tests, mistakes, variants."""
        return self.root / self.facts.hidden

    @cached_property
    def packages(self) -> list[str]:
        """Its own importable packages, all of which are hidden from a student's code."""
        facts = self.facts
        named = [*facts.commands.values(), *facts.plugins.values(), *facts.scorers.values()]
        tops = [reference.partition(":")[0].partition(".")[0] for reference in named]
        return sorted({facts.library, facts.hidden, *tops})

    def plugin(self, name: str) -> Any:
        """What the course names under [course.plugins]; None if nothing.

        So the engine uses what it knows nothing of. Raises CourseError if it cannot be imported.
        """
        reference = self.facts.plugins.get(name)
        return reference and imported(f"[course.plugins] {name}", reference)

    def is_exam(self, id: str) -> bool:
        return self.exam is not None and self.exam.id == id

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
        """The assignment that an exercise id belongs to: "1.4" → that of 1.1, if it has no 1.4.

        Raises KeyError, listing the known assignments.
        """
        number = exercise_id.partition(".")[0]
        for assignment in self.graded:
            if any(exercise.id.partition(".")[0] == number for exercise in assignment.exercises):
                return assignment
        return self.assignment(f"a{number}")

    @model_validator(mode="after")
    def _refers(self) -> Course:
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


def imported(key: str, reference: str) -> Any:
    """The object "module:name" that a key of `course.toml` refers to. Raises CourseError."""
    module, _, attribute = reference.partition(":")
    try:
        return getattr(importlib.import_module(module), attribute)
    except (ImportError, AttributeError, ValueError) as error:
        raise CourseError(
            f"{FILE}: {key} = {reference!r} cannot be used ({error}): correct it"
        ) from error


def root_of(folder: Path) -> Path:
    """The nearest folder, this one or above, with `course.toml`; else where this program lies."""
    places = (place for place in (folder, *folder.parents) if (place / FILE).is_file())
    return next(places, Path(__file__).resolve().parents[2])


def shown(path: Path) -> str:
    """A file as its course names it: relative to the course's root, or whole outside of one."""
    root = root_of(path.parent)
    return path.relative_to(root).as_posix() if path.is_relative_to(root) else str(path)


def _stamp(path: Path) -> tuple[int, int] | None:
    """What changes when a file is written again."""
    return (path.stat().st_mtime_ns, path.stat().st_size) if path.exists() else None


@lru_cache(maxsize=4)
def _load(path: Path, *_: tuple[int, int] | None) -> Course:
    course, text = course_file.read(path, Course)
    if problem := course.grading.problem(course.weights):
        raise CourseError(f"{path.name}, line {line_of(text, problem[0])}: {problem[1]}")
    beside = path.with_name(EXAM_FILE)
    exam = course_file.read(beside, Assignment)[0] if beside.exists() else None
    course = course.model_copy(update={"exam": exam})
    course._root = path.parent
    labels = [f"Assignment {number}" for number in range(1, len(course.assignments) + 1)]
    for assignment, label in zip(course.graded, [*labels, "Exam"], strict=False):
        assignment._root, assignment._hidden = path.parent, course.facts.hidden
        assignment._label = label
        if assignment.model:
            assignment._scorer = course.facts.scorers.get(assignment.model.measure, "")
        for exercise in assignment.exercises:
            exercise._root = path.parent
    return course
