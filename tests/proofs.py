"""Helpers shared with `course prove`: known submissions, and grading one."""

from grader.authoring.proof.cases import notebook
from grader.authoring.proof.prove import local_worker
from grader.course.course import Course
from grader.gradebook.result import Result
from grader.judge.grade import grade
from grader.judge.suite_run import Submitted

__all__ = ["COURSE", "graded", "local_worker", "notebook"]

COURSE = Course.here()


def graded(data: bytes, id: str, open_worker=local_worker, only=None) -> Result:
    """Grade any notebook."""
    return grade(Submitted(COURSE.assignment(id), data, only=only), COURSE, open_worker)
