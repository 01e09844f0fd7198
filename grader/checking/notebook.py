"""The functions that a notebook's setup cell imports: `check`, `needs` and `describe`.

check("A1.4")      run the visible tests of exercise 1.4 on the functions of this notebook
check("A4.11", "is_final")      only those of one step
with needs("1.4"): skip the block, with a message, until 1.4 is written
"""

import random
import sys
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from ..course.assignment import Assignment
from ..course.course import Course
from ..course.exercise import Exercise
from ..course.submission_folder import found_files
from ..seam import Student
from ..seam.codec import Tree
from ..seam.executor import Executor, LocalBackend
from . import session, stale
from .card import Card, to_repair
from .findings import shown_answers
from .session import TestResult
from .suite import read_tests


def check(exercise: str, step: str = "") -> float | None:
    """Run the visible tests of an exercise ("A1.4") and show what each one found.

    Returns the points that the visible tests give; with a `step`, the name of one function of the
    exercise, only its tests run and there are no points, as in a lab ("L1.4"). Writes nothing to
    stderr: nbgrader would count that as a failure.
    """
    try:
        assignment = Course.here().assignment_of(exercise.removeprefix("A"))
        found = assignment.exercise(exercise.removeprefix("A"))
    except KeyError as error:
        print(f"check({exercise!r}): {error.args[0]}")
        return 0.0
    results = visible_results(assignment, found, sys.modules["__main__"].__dict__, step)
    if step and not results:
        print(f"check({exercise!r}, {step!r}): there is no such step; leave it out to check all")
        return None
    _show(card(assignment, found, results, step))
    if step or not found.points:  # a lab's
        return None
    passed = sum(result.message is None for result in results)
    return VisiblePoints(found.points, passed, len(results))


def card(
    assignment: Assignment, exercise: Exercise, results: list[TestResult], step: str = ""
) -> Card:
    """The card that a check shows: results, cells not run, packages that the grader lacks."""
    namespace = sys.modules["__main__"].__dict__
    title = f"{exercise.id} {exercise.title}" + (f", {step}" if step else "")
    passed = sum(result.message is None for result in results)
    names = [step] if step else exercise.names
    outdated = stale.sentences(names, namespace)
    tests, first = results, ""
    if not passed and names and not namespace.keys() & names:
        tests = []  # nothing was run yet
    elif passed < len(results):
        checked = partial(visible_results, assignment, namespace=namespace)
        first = to_repair(assignment, exercise, checked)
    return Card(title, tests, outdated, first, stale.about_packages(assignment, names, namespace))


def visible_results(
    assignment: Assignment, exercise: Exercise, namespace: dict[str, Any], step: str = ""
) -> list[TestResult]:
    """The result of each visible test, or of one step's, in file order."""
    if not assignment.public_tests:
        raise FileNotFoundError(
            f"{assignment.folder}: no visible tests; run this inside a copy of the course"
        )
    files = found_files(Path(), exercise.files)
    tests = [test for path in assignment.public_tests for test in read_tests(path)]
    with _restored_state():
        return session.run(
            assignment,
            Student(_Kernel(Executor(namespace))),
            files=assignment.public_tests,
            only={test.id for test in tests if step in ("", test.mark.step)},
            exercises={exercise.id},
            handed_in={name: path.read_bytes() for name, path in files.items()},
            strict=False,
            right=shown_answers.right_answer,
            causes=shown_answers.causes_of(assignment.public_tests),
        )


class _Kernel(LocalBackend):
    """A check that a reader interrupts stops."""

    def request(self, request: Tree, payload: bytes, deadline: float | None) -> tuple[Tree, bytes]:
        answer, data = super().request(request, payload, deadline)
        if answer.get("error", {}).get("kind") == "KeyboardInterrupt":
            raise KeyboardInterrupt
        return answer, data


def _show(card: Card) -> None:
    if stale.shell() is None:
        print(card)
    else:
        from IPython.display import display

        display(card)


class VisiblePoints(float):
    """The points that the visible tests give: a number to nbgrader, a sentence to a reader.

    A notebook shows HTML where it can; nbgrader reads the plain text, which must be a number.
    """

    def __new__(cls, points: float, passed: int, tests: int) -> "VisiblePoints":
        """`points`: of the whole exercise."""
        return super().__new__(cls, round(points * passed / max(tests, 1), 2))

    def _repr_html_(self) -> str:
        return "Hidden tests decide the rest." if self else "No points yet."


class Skip(Exception):
    """Raised in a block of `needs`, it leaves the block; its message is printed."""


@contextmanager
def needs(*exercises: str) -> Iterator[None]:
    """Skip the rest of the block, with a message, until the exercises it needs are written.

    This lets a starter notebook run from top to bottom before anything is written.
    """
    try:
        yield
    except Skip as reason:
        print(reason)
    except (NotImplementedError, NameError):
        missing = [id for id in exercises if not _is_written(id)]
        if not missing:
            raise  # a real error in a written exercise: show it
        if plt := sys.modules.get("matplotlib.pyplot"):
            plt.close("all")  # no half-drawn figure
        it = "it" if len(missing) == 1 else "them"
        print(f"Not written yet: {', '.join(missing)}. Write {it}, then run this cell again.")


def _is_written(exercise: str) -> bool:
    """Whether this notebook defines an exercise, and those it builds on, without stubs."""
    assignment = Course.here().assignment_of(exercise)
    found = assignment.exercise(exercise)
    ids = [*assignment.upstream(found), exercise]
    names = [name for id in ids for name in assignment.exercise(id).names]
    namespace = sys.modules["__main__"].__dict__
    return all(name in namespace and not _is_stub(namespace[name]) for name in names)


def _is_stub(thing: Any) -> bool:
    """Whether a function, or any method of a class, mentions NotImplementedError."""
    functions = vars(thing).values() if isinstance(thing, type) else [thing]
    codes = [getattr(function, "__code__", None) for function in functions]
    return any("NotImplementedError" in code.co_names for code in codes if code)


def describe(figure: Any, text: str) -> None:
    """Print a figure's description below it and set it as the figure's label, as alt text.

    `figure` is a matplotlib Figure or Axes.
    """
    owner = getattr(figure, "figure", None) or figure
    owner.set_label(text)
    print(f"Figure: {text}")


@contextmanager
def _restored_state() -> Iterator[None]:
    """Restore the global random generators afterwards, and close figures that tests opened.

    Warnings about a test's extreme numbers are no news to a reader of its result.
    """
    torch, plt = sys.modules.get("torch"), sys.modules.get("matplotlib.pyplot")
    states = random.getstate(), np.random.get_state(), torch and torch.get_rng_state()
    figures = set(plt.get_fignums()) if plt else set()
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            yield
    finally:
        random.setstate(states[0])
        np.random.set_state(states[1])
        if torch:
            torch.set_rng_state(states[2])
        if plt:
            for number in set(plt.get_fignums()) - figures:
                plt.close(number)
