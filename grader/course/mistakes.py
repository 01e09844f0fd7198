"""The named mistakes of assignments, and what students may read of them."""

from .assignment import Assignment
from .course import Course
from .record.mistake import Bug, BugError

__all__ = ["Bug", "BugError", "load", "named"]


def load(assignment: Assignment) -> list[Bug]:
    """All named mistakes of an assignment, by id."""
    found = (bug for exercise in assignment.exercises for bug in exercise.mistakes.values())
    return sorted(found, key=lambda bug: bug.name)


def named(course: Course, reference: str) -> Bug:
    """The mistake "a2/layer_norm_unbiased". Raises BugError if there is none."""
    id, _, name = reference.partition("/")
    assignments = [assignment for assignment in course.graded if assignment.id == id]
    found = next((bug for a in assignments for bug in load(a) if bug.name == name), None)
    if found is None:
        raise BugError(f"there is no named bug {reference}")
    return found
