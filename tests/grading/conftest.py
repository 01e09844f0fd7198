"""What a trained model scores, as the judge finds it out."""

import pytest

from grader.judge.models import model_part
from grader.judge.models.asking import Grading
from grader.judge.workers.load import Load, of_course


@pytest.fixture
def evaluate(course, sandbox):
    """Scores files by a notebook's collected code, in the sandbox."""

    def run(id, files, collected, hidden, exercises=(), **changed):
        assignment, opened = course.assignment(id), sandbox(id)
        part = assignment.model.model_copy(update=changed)
        limits = model_part.limits(part)
        theirs = Load(collected.statements, collected.unavailable, limits=limits)
        ours = of_course(part, limits, theirs.patience)
        scored_with = (part, assignment.scorer, hidden, assignment.seed)
        workers = (lambda: opened(theirs), lambda: opened(ours))
        return model_part.evaluate(Grading(files, *scored_with, *workers, exercises))

    return run
