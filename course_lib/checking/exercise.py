"""The `@exercise` mark, which assigns a test to an exercise of `course.toml`."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, TypeVar

Test = TypeVar("Test", bound=Callable[..., Any])


@dataclass(frozen=True)
class ExerciseMark:
    """Which exercise a test belongs to and its share of the exercise's points."""

    exercise: str
    weight: float
    title: str


def exercise(id: str, weight: float = 1.0) -> Callable[[Test], Test]:
    """Mark a test of exercise `id` ("1.4").

    An exercise's points are divided among its tests, public and hidden, in proportion to `weight`.
    The first line of the test's docstring is its title in every report.
    """

    def mark(test: Test) -> Test:
        title = (inspect.getdoc(test) or test.__name__).splitlines()[0]
        test.course = ExerciseMark(id, weight, title)  # type: ignore[attr-defined]
        return test

    return mark


def mark_of(test: Callable[..., Any]) -> ExerciseMark | None:
    return getattr(test, "course", None)
