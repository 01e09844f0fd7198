"""An assignment, or the coding exam: its exercises, dates and rules, and where its files are."""

import datetime
from functools import cached_property
from pathlib import Path
from typing import Any

from pydantic import Field, PrivateAttr, model_validator

from .course_file import imported
from .exercise import MAX_TOTAL, Checklist, Exercise, ModelPart, ProfileChoice
from .record.files import FILE as RECORD
from .table import Misplaced, Table

Ban = tuple[list[str], str]  # forbidden names, and what to use in place of them


class Assignment(Table):
    """One assignment, or the coding exam, with its exercises, dates and rules."""

    id: str = Field(pattern=r"^[a-z][a-z0-9_]*$")
    title: str
    build: str
    target: str = ""  # a number to see moving: where it starts and ends, and what shows it
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
    needs: list[str] = []  # modules of the library that call answers, or else their stand-ins
    forbidden: list[str] = []  # dotted names, which may end in *
    instead: str = ""  # what to use in place of them: follows "Use"
    model: ModelPart | None = None
    checklist: Checklist | None = None
    profiles: ProfileChoice | None = None
    exercises: list[Exercise]
    shortest_path: list[str] = []  # ids of exercises that need no other: about half the points

    _root: Path = PrivateAttr(default=Path())
    _hidden: str = PrivateAttr(default="")
    _label: str = PrivateAttr(default="")
    _zone: datetime.tzinfo = PrivateAttr(default=datetime.timezone.utc)
    _scorer: str = PrivateAttr(default="")

    @property
    def label(self) -> str:
        """Its name before the title: "Assignment 2"."""
        return self._label

    @property
    def zone(self) -> datetime.tzinfo:
        """The zone of the times that people read: the course's."""
        return self._zone

    @property
    def root(self) -> Path:
        """The root of the course that it belongs to."""
        return self._root

    @property
    def folder(self) -> Path:
        """The folder that students get: the starter, its README, drawings, visible tests."""
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
        """The scorer of its trained model, named in [course.scorers]. Raises CourseError."""
        return imported(f"[course.scorers] {self.model and self.model.measure}", self._scorer)()

    @property
    def hidden(self) -> Path:
        """The folder that students do not see: one folder per exercise, and shared parts."""
        return self._root / self._hidden / self.id

    def hidden_folder(self, exercise: str) -> Path:
        """The folder of an exercise: its record, and its hidden tests."""
        return self.hidden / f"exercise_{exercise.replace('.', '_')}"

    def record(self, exercise: str) -> Path:
        """The file that says all of an exercise."""
        return self.hidden_folder(exercise) / RECORD

    @property
    def hidden_code(self) -> list[Path]:
        """Its hidden tests, what they share, and its reference: no variants."""
        kinds = ("*.py", "exercise_*/*.py")
        return [path for kind in kinds for path in sorted(self.hidden.glob(kind))]

    def hidden_tests(self, hidden: Path | None = None) -> list[Path]:
        """The files of its hidden tests, or of those in a copy of `hidden`, by exercise.

        First those of several exercises, which are in none of the exercises' folders.
        """
        own = hidden or self.hidden
        names = [self.hidden_folder(exercise.id).name for exercise in self.exercises]
        folders = [own, *(own / name for name in names)]
        return [path for folder in folders for path in sorted(folder.glob("test_*.py"))]

    @cached_property
    def minutes(self) -> int:
        return sum(exercise.minutes for exercise in self.exercises if not exercise.bonus)

    @cached_property
    def files(self) -> list[str]:
        """Names of the files that are handed in beside the notebook."""
        of_exercises = [name for exercise in self.exercises for name in exercise.files]
        return [*(self.model.files if self.model else []), *of_exercises]

    @property
    def most(self) -> int:
        """Bytes that the files handed in beside the notebook may have together."""
        return self.model.most if self.model else MAX_TOTAL

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
        """The functions that an exercise forbids, and what to use instead."""
        shared = [name for name in self.forbidden if name not in exercise.allowed]
        found = [(shared, self.instead), (exercise.forbidden, exercise.instead)]
        return [(names, instead) for names, instead in found if names]

    @property
    def forbidden_anywhere(self) -> list[str]:
        """The names that at least one exercise forbids."""
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

    def _leave_no_gap(self) -> None:
        """Raises ValueError unless the exercises of the shortest path are there, with upstream."""
        for number, id in enumerate(self.shortest_path):
            try:
                needed = {*self.upstream(self.exercise(id))} - {*self.shortest_path}
            except KeyError as error:
                raise Misplaced(error.args[0], "shortest_path", number) from None
            if needed:
                raise Misplaced(
                    f"exercise {id} of the shortest path depends on {min(needed)}: add it there",
                    *("shortest_path", number),
                )

    def _count(self) -> None:
        """Raises ValueError unless its points are what they have to be."""
        for number, exercise in enumerate(self.exercises):
            if not exercise.points:
                raise Misplaced(
                    f"exercise {exercise.id} has no points: give it some", "exercises", number, "id"
                )
        total = sum(exercise.points for exercise in self.exercises if not exercise.bonus)
        if total != 100:
            raise ValueError(
                f"the exercises of {self.id} have {total:g} points without bonuses instead of "
                "100: change an exercise's points"
            )

    @model_validator(mode="after")
    def _adds_up(self) -> "Assignment":
        if not self.exercises:
            raise ValueError(
                f"{self.id} has no exercises: add a folder exercise_N_M with {RECORD} for each"
            )
        self._count()
        ids = [exercise.id for exercise in self.exercises]
        owners: dict[str, str] = {}  # of mistakes
        for number, exercise in enumerate(self.exercises):
            for other in exercise.depends_on:
                if other not in ids[:number]:
                    why = "does not come before it" if other in ids else "does not exist"
                    raise Misplaced(
                        f"exercise {exercise.id} depends on {other}, which {why}",
                        *("exercises", number, "depends_on"),
                    )
            for name, bug in exercise.mistakes.items():
                if owners.setdefault(name, exercise.id) != exercise.id:
                    raise Misplaced(
                        f"{owners[name]} has a mistake {name!r} too: rename one",
                        *("exercises", number, *bug.place),
                    )
        self._leave_no_gap()
        if self.model is None and any(e.kind == "model" for e in self.exercises):
            raise ValueError(f"{self.id} grades a model: add a table [assignments.model]")
        if self.due.tzinfo is None:
            raise Misplaced(
                f"the due date of {self.id} has no time zone: write one after it, such as +01:00",
                "due",
            )
        return self
