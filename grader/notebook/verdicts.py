"""Exercises that fail before anything runs."""

from __future__ import annotations

from ..course.course import Assignment
from ..seam import StudentError
from ..seam.errors import LOAD_ERROR, POLICY
from . import policy
from .collect import Collected


def decided(assignment: Assignment, collected: Collected) -> dict[str, StudentError]:
    """By exercise: it uses a forbidden name, or a name it needs cannot be loaded."""
    verdicts = {}
    for exercise in assignment.exercises:
        closure = collected.closure(exercise.names)
        if used := policy.uses(closure, collected.statements, assignment.forbidden_in(exercise)):
            verdicts[exercise.id] = StudentError(POLICY, ", ".join(used))
        refused = [collected.refused[n] for n in exercise.names if n in collected.refused]
        if refused:
            verdicts[exercise.id] = StudentError(LOAD_ERROR, refused[0])
    return verdicts
