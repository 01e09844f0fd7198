"""Writes the whole library for workers that run only the course's own code."""

import shutil
from pathlib import Path

from grader.course.course import Course

from ..course.tree import FILE
from .student_tree import ENGINE, GRADER


def write(course: Course, folder: Path) -> None:
    """Write the library without a stub, and what a worker needs of the grader, into `folder`."""
    ignored = shutil.ignore_patterns("__pycache__")
    shutil.copytree(course.library, folder / course.facts.library, ignore=ignored)
    for name in GRADER:
        shutil.copytree(ENGINE / name, folder / ENGINE.name / name, ignore=ignored)
    shutil.copy(ENGINE / "__init__.py", folder / ENGINE.name)
    shutil.copy(course.root / FILE, folder)
