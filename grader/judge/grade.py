"""Grades one submission: a pure function from a notebook's bytes to a JSON result.

collect → load in a worker → run the suite → rerun tests that failed possibly because of an earlier
exercise, with a substitute for that exercise → score
"""

from __future__ import annotations

import time
from contextlib import AbstractContextManager
from dataclasses import replace

from grader.course.course import Assignment, Course
from grader.notebook import notebook_file, written_answers
from grader.notebook.collect import collect
from grader.seam import StudentError

from ..gradebook.exercise_result import ModelResult
from ..gradebook.result import Result, SubmissionFacts, told_of_output
from ..gradebook.totals import UNGRADED
from ..intake import handed_in
from . import score, second_try, suite_run
from .models import model_part
from .models.hidden_labels import HiddenLabels
from .suite_run import OpenWorker, Submitted, Worker
from .workers.load import Load

NOTHING_READ = SubmissionFacts(sha256=handed_in.digest(b"", {}))  # there is no notebook to hash


def grade(
    submitted: Submitted,
    course: Course,
    open_worker: OpenWorker,
    hidden: HiddenLabels | None = None,
    before: Result | None = None,
) -> Result:
    """The result of one submission.

    Without `hidden` labels, exercises that train a model stay pending. `before`: the result of a
    first try, whose model score is reused unless it is doubtful. Whatever the submission does ends
    in a result; an exception means that the course is at fault (its suite or its sandbox failed).
    """
    started = time.perf_counter()
    assignment, files = submitted.assignment, submitted.files
    facts = facts_of(submitted.data, files)
    try:
        cells = notebook_file.read(submitted.data)
    except notebook_file.InvalidNotebook as error:
        return invalid(str(error), assignment, facts)
    names = [name for exercise in assignment.exercises for name in exercise.names]
    names += assignment.model.entry_points if assignment.model else []
    collected = collect(cells, names)
    load = Load(
        collected.statements, collected.unavailable, forbidden=assignment.forbidden_anywhere
    )
    run = suite_run.run(submitted, collected, load, open_worker)
    answers = written_answers.written(assignment, cells)
    there = {*collected.written, *files}
    entries = score.exercises(
        assignment, run.tests, run.passed_with, there, answers, submitted.only
    )
    model = None
    if hidden is not None and assignment.model is not None and not submitted.public_only:
        model = before.model if before else None
        if model is None or second_try.is_needed_by(model.problem):
            model = _of_model(submitted, hidden, load, open_worker, run.unloadable)
        entries = score.models(assignment, entries, model)
    notices = written_answers.notices(course, assignment, cells, collected)
    return Result.of(
        assignment,
        facts,
        entries,
        *score.outcome(run.tests),
        notices=notices + told_of_output(run.printed),
        isolation=run.isolation,
        model=model,
        seconds=round(time.perf_counter() - started, 3),
    )


def _of_model(
    submitted: Submitted,
    hidden: HiddenLabels,
    load: Load,
    open_worker: OpenWorker,
    unloadable: StudentError | None,
) -> ModelResult:
    """The score of the trained model; `unloadable` says why the notebook cannot be loaded."""
    assignment = submitted.assignment
    assert assignment.model is not None

    def opened() -> AbstractContextManager[Worker]:
        if unloadable is not None:
            raise unloadable
        return open_worker(replace(load, limits=model_part.LIMITS))

    return model_part.evaluate(
        model_part.Grading(
            submitted.files,
            assignment.model,
            assignment.scorer,
            hidden,
            assignment.seed,
            opened,
            [exercise for exercise in assignment.exercises if exercise.kind == "model"],
        )
    )


def facts_of(data: bytes, files: dict[str, bytes]) -> SubmissionFacts:
    """Hashes that identify a submission: with the files beside it, and of the notebook alone."""
    return SubmissionFacts(
        sha256=handed_in.digest(data, files), notebook_sha256=handed_in.digest(data, {})
    )


def invalid(reason: str, assignment: Assignment, facts: SubmissionFacts) -> Result:
    """The result of a submission that cannot be read, with the reason."""
    return Result.of(assignment, facts, score.nothing(assignment), "INVALID", reason)


def ungraded(reason: str, assignment: Assignment, facts: SubmissionFacts) -> Result:
    """The result of a submission that the grader itself failed on: pending, with the reason."""
    return Result.of(assignment, facts, score.unknown(assignment), UNGRADED, reason)
