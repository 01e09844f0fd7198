"""Finds the course's folder, and starts the program that lies in it."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

from .problem import Problem

OWN = Path(__file__).resolve().parents[2]  # where this program lies


def above(folder: Path) -> Path | None:
    """The nearest folder, this one or above, with `course.toml` and the grader."""
    folder = folder.resolve()
    for place in (folder, *folder.parents):
        if (place / "course.toml").is_file() and (place / "grader" / "student").is_dir():
            return place
    return None


def elsewhere(arguments: list[str]) -> int | None:
    """Run the program of the tree that the current folder is in, unless this is it.

    So an installed program works in every tree, with the library and the tests of that tree.
    Returns its exit code, or None if this program is the right one. Raises Problem.
    """
    found = above(Path.cwd())
    if found is None and above(OWN) is None:
        raise Problem(
            f"{Path.cwd()}: neither this folder nor one above it holds the course (course.toml and "
            "course_lib): change into the course's folder, then run the command again"
        )
    if found is None or found == OWN:
        return None
    return subprocess.call(
        [sys.executable, "-m", __package__, *arguments],
        env=os.environ | {"PYTHONPATH": search_path(found)},
    )


def search_path(root: Path) -> str:
    """A PYTHONPATH with which the library is that of `root`, whatever is installed."""
    own = os.environ.get("PYTHONPATH")
    return os.pathsep.join([str(root), *([own] if own else [])])
