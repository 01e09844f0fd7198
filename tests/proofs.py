"""What tests share with `course prove`: known submissions, and how one is graded."""

from autograder.judge.grade import grade
from autograder.proof import cases
from autograder.proof.backends import local_worker
from autograder.proof.cases import notebook
from autograder.proof.claims import exercise_of, failing

__all__ = ["COURSE", "exercise_of", "failing", "graded", "local_worker", "notebook"]

COURSE = cases.course()


def graded(data: bytes, id: str, open_worker=local_worker, only=None) -> dict:
    """The grade of any notebook, known or not."""
    return grade(data, COURSE, COURSE.assignment(id), open_worker, only)
