"""Helpers shared with `course prove`: known submissions, and grading one."""

from autograder.gradebook.result import Result
from autograder.judge.grade import grade
from autograder.proof import cases
from autograder.proof.backends import local_worker
from autograder.proof.cases import notebook

__all__ = ["COURSE", "graded", "local_worker", "notebook"]

COURSE = cases.course()


def graded(data: bytes, id: str, open_worker=local_worker, only=None) -> Result:
    """Grade any notebook."""
    return grade(data, COURSE, COURSE.assignment(id), open_worker, only)
