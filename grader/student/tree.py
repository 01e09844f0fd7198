"""Places in a student's tree: the folder with `course.toml`, `course_lib` and `assignments`."""

from __future__ import annotations

from pathlib import Path

from ..course.course import Assignment
from .problem import Problem

AFTER = "after_an_attempt"  # where a release for self-study has the hidden tests
STATE = ".course"  # what the program keeps between two commands


def notebook_of_tree(assignment: Assignment) -> Path:
    """Where the tree has the assignment's notebook, whether it is there or not."""
    return assignment.starter


def notebook(assignment: Assignment, given: Path | None = None) -> Path:
    """The file given, or else the assignment's notebook here or in its folder. Raises Problem."""
    name = f"{assignment.id}.ipynb"
    own = notebook_of_tree(assignment)
    if given is None:
        given = next((path for path in (Path(name), own) if path.is_file()), None)
    if given is None:
        raise Problem(
            f"there is no {name}, neither here nor in {own.parent}: give the notebook's file "
            f"after {assignment.id}"
        )
    if not given.is_file():
        what = "is a folder" if given.is_dir() else "there is no such file"
        raise Problem(f"{given}: {what}; give a notebook file, such as {name}")
    return given


def hidden_suite(assignment: Assignment) -> Path | None:
    """The folder of the assignment's hidden tests, if this tree holds them."""
    inside = assignment.hidden.relative_to(assignment.root)
    places = (assignment.root / AFTER / inside, assignment.hidden)
    return next((place for place in places if place.is_dir()), None)
