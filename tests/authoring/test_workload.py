"""The minutes that course.toml states are at least those that the work is estimated to take.

The constants are a guess, not a measurement: with them the exercises of assignments 1 to 4 add up
to about 33 hours. Replace them once your class has told you its own times.
"""

import ast
from collections import Counter

import pytest

from grader.course import mistakes
from grader.course.course import Course
from grader.library.components import Component

COURSE = Course.here()
READING = 5.0  # minutes for each point of difficulty: the task, the paper, the idea
LINE = 0.3  # minutes for a line of the reference, times the difficulty and one
ATTEMPT = 0.2  # minutes for each named mistake, of which a student makes a few


def estimates(assignment):
    """Minutes for each exercise with code of an assignment, by the exercise's id."""
    known = Counter(bug.exercise for bug in mistakes.load(assignment))
    return {
        exercise.id: READING * exercise.difficulty
        + LINE * lines(exercise) * (1 + exercise.difficulty)
        + ATTEMPT * known[exercise.id]
        for exercise in assignment.exercises
        if exercise.kind == "code"
    }


def lines(exercise):
    """Lines of statements in the reference, without signatures, docstrings and comments."""
    return sum(_lines(Component.parse(reference).source) for reference in exercise.components)


def _lines(source):
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


@pytest.mark.parametrize("assignment", COURSE.assignments, ids=lambda assignment: assignment.id)
def test_no_exercise_claims_less_time_than_it_takes(assignment):
    stated = {exercise.id: exercise.minutes for exercise in assignment.exercises}
    short = {
        id: f"{stated[id]} minutes stated, {estimate:.0f} estimated"
        for id, estimate in estimates(assignment).items()
        if stated[id] < estimate - 2.5  # minutes are rounded to five
    }
    assert not short


def test_more_lines_take_more_time():
    minutes = estimates(COURSE.assignment("a4"))
    assert minutes["4.11"] > minutes["4.10"] > minutes["4.1"]
    assert lines(COURSE.assignment("a1").exercise("1.1")) == 3
