"""An optional lab: a notebook with visible checks and model answers, which nobody hands in."""

import datetime
from collections.abc import Collection
from pathlib import Path

from .assignment import Assignment
from .record.files import LABS
from .table import Misplaced

NEVER = datetime.datetime.max.replace(tzinfo=datetime.timezone.utc)
OF_WHAT_IS_GRADED = (
    "released due late_days late_penalty_percent weight_percent model checklist".split()
)


class Lab(Assignment):
    """A table `[[labs]]` of `course.toml`.

    It is built, checked and given to students as an assignment is, but it has no points, no dates
    and no hidden tests, and its answers come with it: from its week on, as soon as the answers of
    the assignments in `builds_on` are out. Its exercises have ids with a letter, "L1.4".
    """

    released: datetime.date = NEVER.date()
    due: datetime.datetime = NEVER
    late_days: int = 0
    late_penalty_percent: float = 0.0
    weight_percent: float = 0.0
    seed: int = 0
    builds_on: list[str] = []  # assignments

    @property
    def folder(self) -> Path:
        return self._root / "assignments" / "labs" / self.id

    @property
    def hidden(self) -> Path:
        """Its named mistakes and right variants, which prove its visible checks."""
        return self._root / self._hidden / LABS / self.id

    def is_out(self, week: int, answers: Collection[str]) -> bool:
        """Whether students have it in this week, while these assignments' answers are out."""
        return self.week <= week and {*self.builds_on} <= {*answers}

    def _count(self) -> None:
        if given := [key for key in OF_WHAT_IS_GRADED if key in self.model_fields_set]:
            raise Misplaced(
                f"{self.id} is a lab, and labs are not handed in: remove {given[0]!r}", given[0]
            )
        for number, exercise in enumerate(self.exercises):
            if exercise.points or exercise.kind != "code" or exercise.files:
                raise Misplaced(
                    f"exercise {exercise.id} is a lab's, which has code and no points: change it",
                    *("exercises", number, "id"),
                )
            if not exercise.id[0].isalpha():
                raise Misplaced(
                    f"exercise {exercise.id} is a lab's: begin its id with a letter",
                    *("exercises", number, "id"),
                )
