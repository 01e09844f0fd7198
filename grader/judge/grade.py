"""Grades one submission: a pure function from a notebook's bytes to a JSON result.

collect → load in a worker → run the suite → rerun tests that failed possibly because of an earlier
exercise, with a substitute for that exercise → score
"""

from __future__ import annotations

import time
from collections.abc import Callable, Collection
from contextlib import AbstractContextManager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Protocol

from grader.checking import session
from grader.checking.exercise import ExerciseMark
from grader.checking.session import PASSED, TestResult
from grader.course.course import Assignment, Course
from grader.notebook import notebook_file, written_answers
from grader.notebook.collect import Collected, collect
from grader.notebook.policy import decided
from grader.notebook.statements import Statement
from grader.seam import Student, StudentError
from grader.seam.facade import Backend

from ..gradebook.result import Result, SubmissionFacts
from ..gradebook.totals import UNGRADED
from ..intake import handed_in
from . import printed, score, second_try, substitutes
from .models import model_part
from .models.hidden_labels import HiddenLabels
from .suite_files import suite_files
from .workers.time_limit import Patience


@dataclass(frozen=True)
class Load:
    """What a worker executes before its first request: the student's code, then substitutes."""

    statements: list[Statement]
    unavailable: dict[str, str] = field(default_factory=dict)
    substitutes: list[str] = field(default_factory=list)
    patience: Patience = field(default_factory=Patience)  # shared by all workers of a submission
    limits: dict[str, int] = field(default_factory=dict)  # only those that differ from the defaults


class Worker(Backend, Protocol):
    """A backend that also says how it was isolated."""

    @property
    def isolation(self) -> dict[str, Any]:
        """`{"tier": "A", "layers": {…}}` of the worker that answered."""
        ...

    @property
    def printed(self) -> str:
        """The beginning of what the submission wrote to stdout and stderr."""
        ...

    def clock(self) -> float:
        """Seconds of CPU time that the worker has used, counted from an arbitrary start."""
        ...

    @property
    def unloadable(self) -> StudentError | None:
        """Why these statements cannot be loaded, if a worker hung or died loading them."""
        ...


OpenWorker = Callable[[Load], AbstractContextManager[Worker]]
NOTHING_READ = SubmissionFacts(sha256=handed_in.digest(b"", {}))  # there is no notebook to hash


def grade(
    data: bytes,
    course: Course,
    assignment: Assignment,
    open_worker: OpenWorker,
    only: Collection[str] | None = None,
    public_only: bool = False,
    files: dict[str, bytes] | None = None,
    hidden: HiddenLabels | None = None,
    before: Result | None = None,
) -> Result:
    """The result of one submission, a notebook and the `files` beside it.

    `only`: grade just these exercises. `public_only`: leave out the hidden tests. Without `hidden`
    labels, exercises that train a model stay pending. `before`: the result of a first try, whose
    model score is reused unless it is doubtful. Whatever the submission does ends in a result; an
    exception means that the course is at fault (its suite or its sandbox failed).
    """
    started = time.perf_counter()
    facts = facts_of(data, files or {})
    try:
        cells = notebook_file.read(data)
    except notebook_file.InvalidNotebook as error:
        return invalid(str(error), assignment, facts)
    names = [name for exercise in assignment.exercises for name in exercise.names]
    names += assignment.model.entry_points if assignment.model else []
    collected = collect(cells, names)
    suite = suite_files(assignment, public_only)
    load = Load(collected.statements, collected.unavailable)
    run = _run(assignment, collected, load, open_worker, only, suite, files or {})
    entries = score.exercises(
        assignment,
        run.tests,
        run.passed_with,
        {*collected.written, *(files or {})},
        written_answers.written(assignment, cells),
        only,
    )
    model = None
    if hidden is not None and assignment.model is not None and not public_only:
        model = before.model if before else None
        if model is None or second_try.is_needed_by(model.problem):
            load = replace(load, limits=model_part.LIMITS)
            model = model_part.evaluate(
                model_part.Grading(
                    files or {},
                    assignment.model,
                    assignment.scorer,
                    hidden,
                    assignment.seed,
                    lambda: _open(load, open_worker, run.unloadable),
                    [exercise for exercise in assignment.exercises if exercise.kind == "model"],
                )
            )
        entries = score.models(assignment, entries, model)
    notices = written_answers.notices(course, assignment, cells, collected)
    return Result.of(
        assignment,
        facts,
        entries,
        *score.outcome(run.tests),
        notices=notices + printed.notices(run.printed),
        isolation=run.isolation,
        model=model,
        seconds=round(time.perf_counter() - started, 3),
    )


def _open(
    load: Load, open_worker: OpenWorker, unloadable: StudentError | None
) -> AbstractContextManager[Worker]:
    """Open a worker. Raises StudentError at once if its statements are known not to load."""
    if unloadable is not None:
        raise unloadable
    return open_worker(load)


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


@dataclass(frozen=True)
class _Run:
    """The suite's results for a submission, and facts about the worker it ran in."""

    tests: list[TestResult]
    passed_with: dict[str, list[str]]  # test → what was substituted when it passed
    isolation: dict[str, Any]
    printed: str
    unloadable: StudentError | None  # why nothing could be loaded


def _run(
    assignment: Assignment,
    collected: Collected,
    load: Load,
    open_worker: OpenWorker,
    only: Collection[str] | None,
    suite: list[Path],
    files: dict[str, bytes],
) -> _Run:
    """Run the suite, then rerun tests that may have failed because of an earlier mistake."""
    verdicts = decided(assignment, collected)
    with open_worker(load) as worker:
        tests = session.run(
            assignment,
            Student(worker),
            exercises=only,
            verdicts=verdicts,
            files=suite,
            handed_in=files,
        )
        run = _Run(tests, {}, worker.isolation, worker.printed, worker.unloadable)
    if run.unloadable is not None:
        return run
    for broken, ids in _rerun_groups(assignment, collected, tests, verdicts).items():
        replaced = substitutes.sources(assignment, broken)
        with open_worker(replace(load, substitutes=replaced)) as worker:
            again = session.run(
                assignment,
                Student(worker),
                only=ids,
                verdicts=verdicts,
                files=suite,
                handed_in=files,
            )
        run.passed_with.update({test.id: list(broken) for test in again if test.outcome == PASSED})
    return run


def _rerun_groups(
    assignment: Assignment,
    collected: Collected,
    tests: list[TestResult],
    verdicts: dict[str, StudentError],
) -> dict[tuple[str, ...], list[str]]:
    """Failed tests that depend on something with failures, grouped by what that is.

    That is other exercises, and names of the same exercise that come before (the mark's `after`).
    Exercises with a verdict and exercises that are not written are left out.
    """
    failed = [test.mark for test in tests if test.outcome != PASSED]
    failing = {mark.exercise for mark in failed}
    groups: dict[tuple[str, ...], list[str]] = {}
    for test in tests:
        exercise = assignment.exercise(test.mark.exercise)
        broken = tuple(id for id in assignment.upstream(exercise) if id in failing)
        if any(_is_earlier(mark, test.mark) for mark in failed):
            broken += test.mark.after
        written = not set(exercise.names) <= collected.unwritten
        if test.outcome != PASSED and broken and written and exercise.id not in verdicts:
            groups.setdefault(broken, []).append(test.id)
    return groups


def _is_earlier(mark: ExerciseMark, other: ExerciseMark) -> bool:
    """Whether a test is about what another test of the same exercise builds on."""
    return mark.exercise == other.exercise and set(mark.after) < set(other.after)
