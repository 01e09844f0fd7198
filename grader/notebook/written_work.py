"""Whether anything of an assignment is written in a notebook."""

from ..course.assignment import Assignment
from . import written_answers
from .collect import collect
from .notebook_file import Cell


def is_begun(assignment: Assignment, cells: list[Cell]) -> bool:
    """Whether a graded name is defined, was tried at least, or a written question is answered."""
    names = [name for exercise in assignment.exercises for name in exercise.names]
    found = collect(cells, names)
    tried = (found.defined_in.keys() - found.unwritten) | found.unavailable.keys()
    return bool(tried & set(names)) or any(written_answers.written(assignment, cells).values())
