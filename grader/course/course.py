"""A course: `course.toml` and a record an exercise, the only sources of titles, points and dates.

Conventions that the engine relies on, all below the course's root: `assignments/ID/ID.ipynb` is a
built starter with `public_tests/` beside it, `solutions/ID.ipynb` the executed solution, `results/`
what was measured, `data/` the registry of data sets. `exam.toml` is a coding exam in the form of an
assignment. The names of the library and of the folder of hidden things are in `course.toml`.
"""

import contextlib
import datetime
import importlib
import os
from functools import cached_property, lru_cache
from pathlib import Path
from typing import Any

from pydantic import Field, PrivateAttr, ValidationError, model_validator

from . import course_file
from .assignment import Assignment
from .course_facts import CourseFacts, LatePolicy, Part, Week, taught_too_late, zoned
from .course_file import EXAM_FILE, CourseError, imported
from .grading import Grading
from .lab import Lab
from .record import files
from .table import Misplaced, Table
from .tree import FILE, root_of


class Course(Table):
    """The whole of `course.toml`, and the coding exam of `exam.toml` beside it.

    Weeks and weights know the `assignments` only; students lack `exam.toml`. `labs` are optional.
    """

    facts: CourseFacts = Field(alias="course")
    late: LatePolicy = LatePolicy()
    parts: list[Part]
    weeks: list[Week]
    assignments: list[Assignment]
    labs: list[Lab] = []
    grading: Grading = Grading()
    exam: Assignment | None = None

    _root: Path = PrivateAttr(default=Path())

    @classmethod
    def load(cls, path: Path) -> "Course":
        """The course of a file `course.toml`, with its exercises, and the exam if there is one.

        Raises CourseError, one sentence with file and line.
        """
        beside = (path.with_name(name) for name in (EXAM_FILE, files.EXPORTED))
        own = files.of_course(path.parent / _hidden(path, _stamp(path)))
        return _load(path, *map(_stamp, (path, *beside, *own)))

    @classmethod
    def here(cls) -> "Course":
        """The course that contains the current folder, or else this program.

        Raises CourseError.
        """
        return cls.load(root_of(Path.cwd()) / FILE)

    @property
    def root(self) -> Path:
        """The folder of `course.toml`."""
        return self._root

    @property
    def syllabus(self) -> list[Path]:
        """The files that it was read from, without the exam's: `course.toml` and the records."""
        return [self.root / FILE, *files.of_course(self.hidden)]

    @cached_property
    def version(self) -> str:
        """The version of the course's library."""
        return str(importlib.import_module(self.facts.library).__version__)

    @property
    def libraries(self) -> list[Path]:
        """The folders of the library, whose components are the exercises, and its extensions."""
        return [self.root / name for name in self.facts.libraries]

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
        return sorted({*facts.libraries, facts.hidden, *tops})

    @property
    def installed(self) -> list[str]:
        """Patterns of what pip puts into a packages folder for it."""
        return [*self.packages, f"{self.facts.name.replace('-', '_')}[-_.]*"]

    def plugin(self, name: str) -> Any:
        """The object that the course names under [course.plugins]; None if nothing.

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

    @property
    def notebooks(self) -> list[Assignment]:
        """Everything with a notebook: the graded assignments and the labs."""
        return [*self.graded, *self.labs]

    @cached_property
    def weights(self) -> dict[str, float]:
        """The weight of each assignment, in percent of the grade or of its group."""
        return {assignment.id: assignment.weight_percent for assignment in self.assignments}

    def weeks_of(self, assignment: Assignment) -> list[int]:
        """The weeks in which an assignment is worked on; in the first it is handed out."""
        named = {week.number for week in self.weeks if week.assignment == assignment.id}
        return sorted(named | {assignment.week})

    def assignment(self, id: str) -> Assignment:
        """The assignment with this id, lab or exam. Raises KeyError, listing the known ones."""
        for assignment in self.notebooks:
            if assignment.id == id:
                return assignment
        known = ", ".join(assignment.id for assignment in self.notebooks)
        raise KeyError(f"there is no assignment {id!r}; the course has {known}")

    def assignment_of(self, exercise_id: str) -> Assignment:
        """The assignment that an exercise id belongs to: "1.4" → that of 1.1, if it has no 1.4.

        Raises KeyError, listing the known assignments.
        """
        number = exercise_id.partition(".")[0]
        for assignment in self.notebooks:
            if any(exercise.id.partition(".")[0] == number for exercise in assignment.exercises):
                return assignment
        return self.assignment(f"a{number}")

    @model_validator(mode="before")
    @classmethod
    def _dates_have_its_zone(cls, data: dict[str, Any]) -> dict[str, Any]:
        """A due date without a zone is in that of the course."""
        wrong = (KeyError, TypeError, ValidationError)  # the key itself is refused below
        with contextlib.suppress(*wrong):
            zone = CourseFacts.model_validate(data["course"]).zone
            for table in data["assignments"]:
                if isinstance(table["due"], datetime.datetime):
                    table["due"] = zoned(table["due"], zone)
        return data

    @model_validator(mode="after")
    def _refers(self) -> "Course":
        parts = {part.number for part in self.parts}
        ids = {assignment.id for assignment in self.assignments}
        weeks = {week.number for week in self.weeks}
        for number, week in enumerate(self.weeks):
            if unknown := set(week.parts) - parts:
                raise Misplaced(
                    f"week {week.number} names part {unknown.pop()}, which does not exist",
                    *("weeks", number, "meetings"),
                )
            if week.assignment and week.assignment not in ids:
                raise Misplaced(
                    f"week {week.number} names {week.assignment}, which does not exist",
                    *("weeks", number, "assignment"),
                )
        listed = [("assignments", number, one) for number, one in enumerate(self.assignments)]
        listed += [("labs", number, lab) for number, lab in enumerate(self.labs)]
        for table, number, assignment in listed:
            if assignment.week not in weeks:
                raise Misplaced(
                    f"{assignment.id} is handed out in week {assignment.week}, which does not "
                    "exist",
                    *(table, number, "week"),
                )
            if (first := self.weeks_of(assignment)[0]) < assignment.week:
                raise Misplaced(
                    f"{assignment.id} is handed out in week {assignment.week}, but week {first} "
                    "names it already",
                    *(table, number, "week"),
                )
            for place, exercise in enumerate(assignment.exercises):
                if why := taught_too_late(exercise.taught, assignment.week, self.weeks):
                    at = (table, number, "exercises", place, "taught")
                    raise Misplaced(f"exercise {exercise.id} {why}", *at)
        for number, lab in enumerate(self.labs):
            if unknown_ids := set(lab.builds_on) - ids:
                raise Misplaced(
                    f"{lab.id} builds on {unknown_ids.pop()}, which does not exist",
                    *("labs", number, "builds_on"),
                )
        return self


Stamp = tuple[str, int, int]


def _stamp(path: Path) -> Stamp | None:
    """A stamp that changes when a file is written again."""
    try:
        found = os.stat(path)
    except OSError:
        return None
    return (str(path), found.st_mtime_ns, found.st_size)


@lru_cache(maxsize=4)
def _hidden(path: Path, _: Stamp | None) -> str:
    """The name of the hidden folder, or "" as long as `course.toml` does not say it."""
    with contextlib.suppress(CourseError, KeyError, TypeError):
        return str(course_file.data_of(path)["course"]["hidden"])
    return ""


@lru_cache(maxsize=4)
def _load(path: Path, *_: Stamp | None) -> Course:
    data = course_file.data_of(path)
    course = course_file.checked(data, Course, {(): path} | files.put_into(data, path))
    if problem := course.grading.problem(course.weights):
        raise CourseError(f"{course_file.place_in(path, *problem[0])}: {problem[1]}")
    exam = _exam(path.with_name(EXAM_FILE), course.facts.hidden)
    course = course.model_copy(update={"exam": exam})
    course._root = path.parent
    labels = [f"Assignment {number}" for number in range(1, len(course.assignments) + 1)]
    labels += ["Exam"] if exam else []
    labels += [f"Lab {number}" for number in range(1, len(course.labs) + 1)]
    for assignment, label in zip(course.notebooks, labels, strict=True):
        assignment._root, assignment._hidden = path.parent, course.facts.hidden
        assignment._label, assignment._zone = label, course.facts.zone
        if assignment.model:
            assignment._scorer = course.facts.scorers.get(assignment.model.measure, "")
        for exercise in assignment.exercises:
            exercise._root = path.parent
    return course


def _exam(path: Path, hidden: str) -> Assignment | None:
    if not path.exists():
        return None
    data = course_file.data_of(path)
    places = files.of_table(data, path.parent / hidden, path)
    return course_file.checked(data, Assignment, {(): path} | places)
