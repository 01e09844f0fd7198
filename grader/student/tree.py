"""A student's tree, the folder with `course.toml` and `assignments`: where it is, what it holds.

An installed program starts the one in the tree.
"""

import os
import subprocess
import sys
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from ..course.problem import Problem
from ..course.tree import FILE, OWN, PACKED, above, imported_from, is_own

if TYPE_CHECKING:
    from ..course.assignment import Assignment

AFTER = "after_an_attempt"  # where a release for self-study has the hidden tests
STATE = ".course"  # what the program keeps between two commands


def notebook(assignment: "Assignment", given: Path | None = None) -> Path:
    """The file given, or else the assignment's notebook here or in its folder. Raises Problem."""
    name = f"{assignment.id}.ipynb"
    own = assignment.starter
    if given is None:
        given = next((path for path in (Path(name), own) if path.is_file()), None)
    if given is None:
        near = next(filter(partial(_is_near, assignment.id), sorted(Path().iterdir())), None)
        raise Problem(
            f"there is no {name}, neither here nor in {own.parent}: give the notebook's file "
            f"after {assignment.id}{f', such as {str(near)!r}' if near else ''}"
        )
    if not given.is_file():
        what = "is a folder" if given.is_dir() else "there is no such file"
        raise Problem(f"{given}: {what}; give a notebook file, such as {name}")
    return given


def _is_near(id: str, path: Path) -> bool:
    """Whether a file here is a notebook with the assignment in its name, as a1.ipynb.txt is."""
    from ..notebook import other_files  # only this needs more than the program's own folder

    if id not in path.name.lower() or not path.is_file():
        return False
    with path.open("rb") as file:
        return other_files.is_notebook(file.read(other_files.HEAD))


def hidden_suite(assignment: "Assignment") -> Path | None:
    """The folder of the assignment's hidden tests, if this tree holds them."""
    inside = assignment.hidden.relative_to(assignment.root)
    places = (assignment.root / AFTER / inside, assignment.hidden)
    return next((place for place in places if place.is_dir()), None)


def elsewhere(arguments: list[str]) -> int | None:
    """Run the program of the tree that the current folder is in, unless this is it.

    So an installed program works in every tree, with the library and the tests of that tree.
    Returns its exit code, or None if this program is the right one. Raises Problem.
    """
    found = above(Path.cwd())
    if found is None and above(OWN) is None:
        raise Problem(
            f"{Path.cwd()}: neither this folder nor one above it contains the course ({FILE}): "
            "change into the course's folder, then run the command again"
        )
    if found in (None, OWN) or not any((found / name).exists() for name in ("grader", PACKED)):
        return None
    return subprocess.call(
        [sys.executable, "-m", __package__, *arguments],
        env=os.environ | {"PYTHONPATH": search_path(found)},
    )


def search_path(root: Path) -> str:
    """A PYTHONPATH with which the library is that of `root`, whatever is installed."""
    own = os.environ.get("PYTHONPATH")
    return os.pathsep.join([*imported_from(root), *([own] if own else [])])


def reason(error: str) -> str:
    """The sentence for an error from before any of the student's code ran."""
    if "ModuleNotFoundError: No module named " in error:
        return missing_package(error.rpartition(" ")[2].strip("'\""))
    return f"the tests cannot be run: {error}"


def missing_package(name: str) -> str:
    """The sentence for a package that cannot be imported, by its name."""
    if is_own(name):
        return f"{name} is not in this course folder: it comes with a later assignment"
    return f"the package {name!r} is not installed: run `pip install -e .` in the course's folder"
