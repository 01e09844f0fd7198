"""Grades one submission: a pure function from a notebook's bytes to a JSON result.

collect → load in a worker → run the suite → score; then, once nothing else waits for that, rerun
what an earlier exercise may explain with a right form of it → name the mistakes left → score
"""

import math
import time
from collections.abc import Collection, Mapping
from contextlib import AbstractContextManager
from dataclasses import dataclass, field, replace

from grader.course.assignment import Assignment
from grader.course.course import Course
from grader.notebook import notebook_file, written_answers
from grader.notebook.attachments import attachments
from grader.notebook.collect import Collected, collect, decided
from grader.notebook.foreign_imports import foreign_imports
from grader.notebook.notebook_file import Cell
from grader.seam import StudentError

from ..gradebook.exercise_result import ExerciseResult, ModelResult
from ..gradebook.result import Result, SubmissionFacts, told_of_output
from ..gradebook.totals import UNGRADED
from ..intake import handed_in
from . import mistaken, own_mistakes, reruns, score, suite_run
from .models import model_part
from .models.asking import Grading
from .models.scorer import HiddenLabels
from .reruns import Rerun
from .suite_run import OpenWorker, Submitted, SuiteRun, Worker
from .workers.load import Load, Patience, of_course

NOTHING_READ = SubmissionFacts(sha256=handed_in.digest(b"", {}))  # there is no notebook to hash


@dataclass(frozen=True)
class Try:
    """A submission's result so far, final unless `plan` has tests to run again."""

    result: Result
    run: SuiteRun | None = None  # None if it cannot be read
    plan: list[Rerun] = field(default_factory=list)
    passed_with: dict[str, list[str]] = field(default_factory=dict)  # test → what was replaced
    patience: Patience = field(default_factory=Patience)
    only: Collection[str] | None = None  # just these exercises were graded


def grade(
    submitted: Submitted,
    course: Course,
    open_worker: OpenWorker,
    hidden: HiddenLabels | None = None,
    asked: own_mistakes.Asked | None = None,
) -> Result:
    """The result of one submission that is graded alone: a try and its reruns; see `once`."""
    tried = once(submitted, course, open_worker, hidden, asked=asked)
    while tried.plan:
        tried = rerun(submitted, course, open_worker, tried)
    return tried.result


def once(
    submitted: Submitted,
    course: Course,
    open_worker: OpenWorker,
    hidden: HiddenLabels | None = None,
    before: Result | None = None,
    asked: own_mistakes.Asked | None = None,
) -> Try:
    """Try to grade a submission, without any right form.

    Without `hidden` labels, exercises that train a model stay pending. `before`: the result of a
    first try, whose model score is reused unless it is doubtful. `asked`: which tests are known to
    be wrong themselves, see `own_mistakes`; without it, all are right. Whatever the submission does
    ends in a result; an exception means that the course is at fault (its suite or its sandbox).
    """
    started = time.perf_counter()
    read = _read(submitted, course)
    if isinstance(read, Result):
        return Try(read)
    load = read.load(Patience())
    run = suite_run.run(submitted, load, read.verdicts, open_worker)
    if asked is not None:
        run = replace(run, tests=own_mistakes.told_apart(submitted, run.tests, open_worker, asked))
    plan = list[Rerun]()
    if run.unloadable is None:
        plan = reruns.planned(submitted.assignment, read.collected, run.tests, read.verdicts)
    hoped = reruns.hoped(plan, run.tests)
    run = mistaken.with_causes(submitted.assignment, run, hoped)
    model = None
    if hidden is not None and submitted.assignment.model is not None and not submitted.public_only:
        model = before.model if before else None
        if model is None or reruns.is_doubtful(model.problem):
            model = _of_model(submitted, hidden, load, open_worker, run.unloadable)
    seconds = time.perf_counter() - started
    result = _result(submitted, course, read, run, model, seconds, {})
    if plan:
        result = _provisional(result, _entries(submitted, read, run, hoped))
    return Try(result, run, plan, patience=load.patience, only=submitted.only)


def _provisional(result: Result, best: list[ExerciseResult]) -> Result:
    """The result of a try whose reruns wait, with what its exercises gain in the best case."""
    entries = [
        entry.model_copy(update={"may_gain": gain, "caused_by": other.caused_by})
        if entry.kind == "code"
        and (gain := round((other.points or 0) - (entry.points or 0), 2)) > 0
        else entry
        for entry, other in zip(result.exercises, best, strict=True)
    ]
    return result.model_copy(update={"exercises": entries, "provisional": True})


def rerun(submitted: Submitted, course: Course, open_worker: OpenWorker, tried: Try) -> Try:
    """The try after the first rerun of its plan; see `reruns` for when that may begin."""
    started = time.perf_counter()
    read = _read(submitted, course)
    if isinstance(read, Result) or tried.run is None:
        raise ValueError("what cannot be read has nothing to run again")
    first, *later = tried.plan
    load = read.load(tried.patience)
    found = {id: len(forms) for id, forms in tried.passed_with.items()}
    ids = [id for id in first.tests if found.get(id, math.inf) > len(first.replaced)]
    left = replace(first, tests=ids)
    ids = reruns.passed(left, submitted, load, read.verdicts, open_worker)
    passed_with = {**tried.passed_with, **{id: list(first.replaced) for id in ids}}
    plan = [*reruns.narrower(first, ids), *later]
    assignment, run = submitted.assignment, tried.run
    run = run if plan else mistaken.with_causes(assignment, run, passed_with)
    seconds = tried.result.seconds + time.perf_counter() - started
    model = tried.result.model
    result = _result(submitted, course, read, run, model, seconds, passed_with)
    return replace(tried, result=result, run=run, plan=plan, passed_with=passed_with)


@dataclass(frozen=True)
class _Read:
    """The facts about a notebook before anything runs."""

    cells: list[Cell]
    collected: Collected
    foreign: dict[str, str]  # names that imports of other packages bind → what is wrong
    verdicts: dict[str, StudentError]
    forbidden: list[str]  # by some exercise

    def load(self, patience: Patience) -> Load:
        missing = {**self.foreign, **self.collected.unavailable}
        statements = self.collected.statements
        return Load(statements, missing, forbidden=self.forbidden, patience=patience)


def _read(submitted: Submitted, course: Course) -> _Read | Result:
    """The notebook, or the result of one that cannot be read."""
    assignment = submitted.assignment
    try:
        cells = notebook_file.read(submitted.data)
    except notebook_file.InvalidNotebook as error:
        return invalid(str(error), assignment, facts_of(submitted.data, submitted.files))
    names = [name for exercise in assignment.exercises for name in exercise.names]
    names += assignment.model.entry_points if assignment.model else []
    collected = collect(cells, names)
    verdicts = decided(assignment, collected)
    foreign = foreign_imports(course, assignment, collected, names)
    return _Read(cells, collected, foreign, verdicts, assignment.forbidden_anywhere)


def _result(
    submitted: Submitted,
    course: Course,
    read: _Read,
    run: SuiteRun,
    model: ModelResult | None,
    seconds: float,
    passed_with: Mapping[str, list[str]],
) -> Result:
    """Score what was found."""
    assignment, files = submitted.assignment, submitted.files
    entries = _entries(submitted, read, run, passed_with)
    if model is not None:
        entries = score.models(assignment, entries, model)
    notices = written_answers.notices(course, assignment, read.cells, read.collected)
    return Result.of(
        assignment,
        facts_of(submitted.data, files),
        entries,
        *score.outcome(run.tests),
        notices=notices + score.broken(run.tests) + told_of_output(run.printed),
        isolation=run.isolation,
        model=model,
        seconds=round(seconds, 3),
    )


def _entries(
    submitted: Submitted, read: _Read, run: SuiteRun, passed_with: Mapping[str, list[str]]
) -> list[ExerciseResult]:
    """The points of each exercise, but for those of a trained model."""
    assignment = submitted.assignment
    answers = written_answers.found(assignment, read.cells)
    there = {*read.collected.written, *submitted.files}
    return score.exercises(
        *(assignment, run.tests, passed_with, there, answers, submitted.only),
        beside=attachments(assignment, read.cells),
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
    assert (part := assignment.model) is not None

    total = load.patience.total + model_part.TOTAL
    patience = replace(load.patience, total=total)

    limits = model_part.limits(part)

    theirs = replace(load, limits=limits, patience=patience)
    ours = of_course(part, limits, patience)

    def opened(load: Load) -> AbstractContextManager[Worker]:
        if unloadable is not None:
            raise unloadable
        return open_worker(load)

    return model_part.evaluate(
        Grading(
            submitted.files,
            part,
            assignment.scorer,
            hidden,
            assignment.seed,
            lambda: opened(theirs),
            lambda: opened(ours),
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
