"""What students may have, read from this checkout's sources: what it says is no leak.

It is not read from a finished tree, so that a leak there cannot excuse itself.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator

from grader.course.assignment import Assignment
from grader.course.course import Course

from ...library.components import Component
from ...library.student_tree import ENGINE, GRADER, stubbed, unreleased
from ..views import setup_cell, text_notebook


def of(
    course: Course, answers: Collection[str], modules: Collection[str]
) -> Iterator[tuple[str, bytes]]:
    """Path and content of each public source; `modules` are the files of `course_lib` in it."""
    hidden = unreleased(course, answers)
    closed = {Component.parse(reference).module for reference in hidden}
    for path in sorted(course.library.rglob("*.py")):
        name = f"{course.facts.library}/{path.relative_to(course.library).as_posix()}"
        dotted = name.removesuffix(".py").replace("/", ".")
        if dotted in closed:
            yield name, stubbed(dotted, hidden).encode()
        elif name in modules:
            yield name, path.read_bytes()
    for path in sorted((course.hidden / "stand_ins").rglob("*.py")):
        yield path.name, path.read_bytes()
    for package in GRADER:
        for path in sorted((ENGINE / package).rglob("*.py")):
            yield path.name, path.read_bytes()
    for assignment in [*course.assignments, *course.labs]:
        for path in assignment.public_tests:
            yield path.name, path.read_bytes()
        for number, text in enumerate(_handout(course, assignment)):
            yield f"{assignment.id}-{number}.py", text.encode()
        solution = assignment.solution
        if assignment.id in answers and solution.is_file():
            yield solution.name, solution.read_bytes()


def _handout(course: Course, assignment: Assignment) -> Iterator[str]:
    """The cells of the text notebook without answers, rubrics and components."""
    yield setup_cell.setup(course, assignment)
    for cell in text_notebook.read(assignment):
        if cell.directive != "rubric":
            question = cell.text.partition(text_notebook.TEXT_ANSWER)[0]
            if cell.directive == "student":
                question = question.partition(text_notebook.CODE_ANSWER)[0]
            yield question
