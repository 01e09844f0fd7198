"""References from a text to the syllabus: to an exercise by what it asks for, never by a number."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from book import CHECKOUT
from grader.course.assignment import Assignment
from grader.course.course import Course
from grader.course.exercise import Exercise
from grader.library.components import BuildError

if TYPE_CHECKING:
    from sphinx.environment import BuildEnvironment

BY_HAND = re.compile(r"\b(?:[Ee]xercises? \d+(?:\.\d+)?|[Aa]ssignments? \d|[Pp]arts? \d)")


def note_syllabus(env: BuildEnvironment) -> None:
    """The page that is read is built again when the syllabus changes."""
    for file in Course.here().syllabus:
        env.note_dependency(str(file))


def exercise_of(*components: str) -> Exercise:
    """The exercise that asks for the first of these that is asked for. Raises BuildError."""
    for component in components:
        for assignment in Course.here().assignments:
            for exercise in assignment.exercises:
                if component in exercise.components:
                    return exercise
    raise BuildError(f"no exercise asks for {' or '.join(components) or 'nothing'}")


def exercise_called(what: str) -> tuple[str, str]:
    """Number and title of an exercise, by a component or by its title. Raises BuildError.

    A written part is found by its title, too: its number is like "1.11 c".
    """
    if ":" in what:
        exercise = exercise_of(what)
        return exercise.id, exercise.title
    titled = [
        (number, title)
        for assignment in Course.here().assignments
        for exercise in assignment.exercises
        for number, title in [
            (exercise.id, exercise.title),
            *((f"{exercise.id} {part.id}", part.title) for part in exercise.parts),
        ]
        if title == what
    ]
    if len(titled) != 1:
        raise BuildError(f"{len(titled)} exercises are called {what!r}")
    return titled[0]


def assignment_with(id: str, component: str) -> Assignment:
    """The assignment or lab of this id, which asks for the component. Raises BuildError."""
    course = Course.here()
    found = next((one for one in [*course.assignments, *course.labs] if one.id == id), None)
    if found is None:
        raise BuildError(f"course.toml has no assignment {id!r}")
    if not any(component in exercise.components for exercise in found.exercises):
        raise BuildError(f"assignment {id} does not ask for {component!r}")
    return found


def page_of_part(said: str) -> str:
    """The page of a lecture, "part 4" or "Part 4", without its ending. Raises BuildError."""
    number = said.lower().removeprefix("part ")
    if number not in {str(part.number) for part in Course.here().parts}:
        raise BuildError(f"course.toml has no {said!r}")
    return next((CHECKOUT / "lectures").glob(f"part{number}_*.md")).stem


def by_hand(text: str) -> str:
    """The first exercise, assignment or part that a text names by its number, or ""."""
    found = BY_HAND.search(text)
    return found[0] if found else ""
