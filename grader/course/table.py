"""The base of every table in a course's files: a form with checks that locate errors."""

from pydantic import BaseModel, ConfigDict


class Misplaced(ValueError):
    """A problem further inside a table; `at` is the path to it from there."""

    def __init__(self, sentence: str, *at: str | int):
        super().__init__(sentence)
        self.at = at


class Table(BaseModel):
    """A table of `course.toml` or `exercise.toml`; unknown keys are rejected."""

    model_config = ConfigDict(extra="forbid", frozen=True)
