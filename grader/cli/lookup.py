"""Finds things of the course by their names on the command line: an assignment, an exercise."""

from grader.course.assignment import Assignment
from grader.course.course import Course
from grader.course.lab import Lab

from .output import UsageProblem


def assignment(course: Course, id: str) -> Assignment:
    """The assignment with this id. Raises UsageProblem, which lists those that the course has."""
    return _not_a_lab(notebook(course, id))


def notebook(course: Course, id: str) -> Assignment:
    """The assignment or lab with this id. Raises UsageProblem, too."""
    try:
        return course.assignment(id)
    except KeyError as error:
        raise UsageProblem(error.args[0]) from None


def owner(course: Course, exercise: str) -> Assignment:
    """The assignment that an exercise belongs to. Raises UsageProblem if there is none."""
    try:
        found = course.assignment_of(exercise)
        found.exercise(exercise)
    except KeyError as error:
        raise UsageProblem(error.args[0]) from None
    return _not_a_lab(found)


def _not_a_lab(found: Assignment) -> Assignment:
    """Raises UsageProblem for a lab."""
    if isinstance(found, Lab):
        raise UsageProblem(f"{found.id} is a lab, which is never handed in, graded or late")
    return found
