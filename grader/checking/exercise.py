"""Marks in a suite: `@exercise` assigns a test to an exercise; `@fixture`."""

import inspect
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

Test = TypeVar("Test", bound=Callable[..., Any])

ATOL, RTOL = 1e-4, 1e-4  # of answers to questions


@dataclass(frozen=True)
class Question:
    """How the answers to a question are compared, and the message for a wrong one."""

    advice: str = ""
    read: str = ""
    atol: float = ATOL
    rtol: float = RTOL


@dataclass(frozen=True)
class ExerciseMark:
    """Which exercise a test belongs to and its share of the exercise's points.

    `step` names the function of the exercise that the test is about, where it is built in steps.
    `needs_one_of` names tests of the exercise, and `corner` is of its inputs; see `exercise`.
    """

    exercise: str
    weight: float
    title: str
    step: str = ""
    builds_on: tuple[str, ...] = ()
    needs_one_of: tuple[str, ...] = ()
    corner: bool = False
    question: Question | None = None  # None: a test that compares by itself


def exercise(
    id: str,
    weight: float = 1.0,
    step: str = "",
    builds_on: Sequence[str] = (),
    needs_one_of: Sequence[str] = (),
    corner: bool = False,
) -> Callable[[Test], Test]:
    """Mark a test of exercise `id` ("1.4").

    An exercise's points are divided among its tests, public and hidden, in proportion to `weight`.
    The first line of the test's docstring is its title in every report. In a notebook,
    `check("A1.4", step)` runs the visible tests of one step. `builds_on` names functions of
    the same exercise that the tested one uses; the judge runs a test that fails again
    with a correct one of these, so that a mistake costs points only once. What a function passes
    that refuses everything or does nothing counts only if another test passes:
    `needs_one_of` names the functions of those tests. A refusal also counts if one of them gets the
    value of a known mistake. The judge has hidden tests by these names, too.
    A `corner` has stated inputs that are not ordinary: what is wrong there alone costs at most
    two fifths of the exercise, and may cost less than a quarter.
    """

    def marked(test: Test) -> Test:
        title = (inspect.getdoc(test) or test.__name__).splitlines()[0]
        mark = ExerciseMark(id, weight, title, step, tuple(builds_on), tuple(needs_one_of), corner)
        test.course = mark  # type: ignore[attr-defined]
        return test

    return marked


def mark_of(test: Callable[..., Any]) -> ExerciseMark | None:
    return getattr(test, "course", None)


def fixture(function: Test) -> Test:
    """Mark what several tests of a file look at: a test that has its name as a parameter gets it.

    It takes what a test may take. It is called once in a run of the suite and for each exercise
    that asks, with inputs and seeds of its own, so it is the same whichever test asks first.
    It returns data: an object of the student's is gone when a test begins. What it raises is the
    result of every test that asks.
    """
    function.is_fixture = True  # type: ignore[attr-defined]
    return function


def is_fixture(thing: object) -> bool:
    return inspect.isfunction(thing) and hasattr(thing, "is_fixture")
