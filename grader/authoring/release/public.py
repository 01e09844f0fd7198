"""What students may have, read from this checkout's sources: what it says is no leak.

It is not read from a finished tree, so that a leak there cannot excuse itself.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator

from grader.course.syllabus import ROOT, Assignment, Syllabus, public_tests

from ...library.components import Component
from ...library.student_tree import PACKAGE, STAND_INS, stubbed, unreleased
from ..views import setup_cell, text_notebook


def of(
    syllabus: Syllabus, answers: Collection[str], modules: Collection[str]
) -> Iterator[tuple[str, bytes]]:
    """Path and content of each public source; `modules` are the files of `course_lib` in it."""
    hidden = unreleased(syllabus, answers)
    closed = {Component.parse(reference).module for reference in hidden}
    for path in sorted(PACKAGE.rglob("*.py")):
        name = f"course_lib/{path.relative_to(PACKAGE).as_posix()}"
        dotted = name.removesuffix(".py").replace("/", ".")
        if dotted in closed:
            yield name, stubbed(dotted, hidden).encode()
        elif name in modules:
            yield name, path.read_bytes()
    for path in sorted(STAND_INS.rglob("*.py")):
        yield path.name, path.read_bytes()
    for assignment in syllabus.assignments:
        for path in public_tests(assignment.id):
            yield path.name, path.read_bytes()
        for number, text in enumerate(_handout(syllabus, assignment)):
            yield f"{assignment.id}-{number}.py", text.encode()
        solution = ROOT / "solutions" / f"{assignment.id}.ipynb"
        if assignment.id in answers and solution.is_file():
            yield solution.name, solution.read_bytes()


def _handout(syllabus: Syllabus, assignment: Assignment) -> Iterator[str]:
    """The cells of the text notebook without answers, rubrics and components."""
    yield setup_cell.setup(syllabus, assignment)
    for cell in text_notebook.read(assignment):
        if cell.directive != "rubric":
            question = cell.text.partition(text_notebook.TEXT_ANSWER)[0]
            if cell.directive == "student":
                question = question.partition(text_notebook.CODE_ANSWER)[0]
            yield question
