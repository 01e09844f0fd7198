"""What stops a command of the student's program."""

from __future__ import annotations

from ..course import problem


class Problem(problem.Problem):
    """Its text is the whole message: what was given, what is wanted, what to do."""


def reason(error: str) -> str:
    """The sentence for an error from before any of the student's code ran."""
    if "ModuleNotFoundError: No module named " in error:
        return missing_package(error.rpartition(" ")[2].strip("'\""))
    return f"the tests cannot be run: {error}"


def missing_package(name: str) -> str:
    """The sentence for a package that cannot be imported, by its name."""
    if name.startswith(("course_lib", "grader")):
        return f"{name} is not in this course folder: it comes with a later assignment"
    return f"the package {name!r} is not installed: run `pip install -e .` in the course's folder"
