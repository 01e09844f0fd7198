"""The names (`grade_id`) of nbgrader's cells, which the build sets and the grader looks for."""

from __future__ import annotations


def component(assignment: str, name: str) -> str:
    """The cell in which a student writes a function or class."""
    return f"{assignment}-{name}"


def check(exercise: str) -> str:
    """The locked cell with the points of a code exercise ("1.4")."""
    return f"check-{exercise.replace('.', '-')}"


def written(part: str) -> str:
    """The answer to a written part ("1.11.a")."""
    return f"written-{part.replace('.', '-')}"


def model(exercise: str) -> str:
    """The locked text with the points of a trained model ("3.10"); nbgrader's kind is a task."""
    return f"model-{exercise.replace('.', '-')}"
