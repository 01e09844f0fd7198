"""Estimates how long an exercise takes, from what must at least be written.

The constants are a guess, not a measurement: with them the exercises of assignments 1 to 4 add up
to about 33 hours. Replace them once your class has told you its own times.
"""

from __future__ import annotations

import ast
from collections import Counter

from grader.course import mistakes
from grader.course.assignment import Assignment
from grader.course.exercise import Exercise

from ..library.components import Component

READING = 5.0  # minutes for each point of difficulty: the task, the paper, the idea
LINE = 0.3  # minutes for a line of the reference, times the difficulty and one
ATTEMPT = 0.2  # minutes for each named mistake, of which a student makes a few


def estimates(assignment: Assignment) -> dict[str, float]:
    """Minutes for each exercise with code of an assignment, by the exercise's id."""
    known = Counter(bug.exercise for bug in mistakes.load(assignment))
    return {
        exercise.id: READING * exercise.difficulty
        + LINE * lines(exercise) * (1 + exercise.difficulty)
        + ATTEMPT * known[exercise.id]
        for exercise in assignment.exercises
        if exercise.kind == "code"
    }


def lines(exercise: Exercise) -> int:
    """Lines of statements in the reference, without signatures, docstrings and comments."""
    return sum(_lines(Component.parse(reference).source) for reference in exercise.components)


def _lines(source: str) -> int:
    given = (ast.FunctionDef, ast.ClassDef)
    return len(
        {
            line
            for node in ast.walk(ast.parse(source))
            if isinstance(node, ast.stmt) and not isinstance(node, given)
            if not (isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant))
            for line in range(node.lineno, (node.end_lineno or node.lineno) + 1)
        }
    )
