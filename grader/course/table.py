"""What every table of a course's files is: a form with checks, which names what is wrong where."""

from __future__ import annotations

from pydantic import BaseModel, ConfigDict


class Misplaced(ValueError):
    """What is wrong further inside a table; `at` is the path to it from there."""

    def __init__(self, sentence: str, *at: str | int):
        super().__init__(sentence)
        self.at = at


class Table(BaseModel):
    """A table of `course.toml` or `exercise.toml`; unknown keys are rejected."""

    model_config = ConfigDict(extra="forbid", frozen=True)
