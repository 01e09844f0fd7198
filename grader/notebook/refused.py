"""Exercises whose failure is known before anything runs."""

from __future__ import annotations

from ..course.assignment import Assignment
from ..seam import StudentError
from ..seam.errors import LOAD_ERROR
from .collect import Collected


def decided(assignment: Assignment, collected: Collected) -> dict[str, StudentError]:
    """By exercise: a name that it needs cannot be loaded."""
    verdicts = {}
    for exercise in assignment.exercises:
        refused = [collected.refused[n] for n in exercise.names if n in collected.refused]
        if refused:
            verdicts[exercise.id] = StudentError(LOAD_ERROR, refused[0])
    return verdicts
