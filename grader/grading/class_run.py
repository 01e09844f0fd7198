"""Grades a class: finds what is new, starts the processes, stores each result as it comes.

    judge processes (trusted, one per job)  ──▶  one warm process per assignment  ──▶  workers

Each result is stored at once, so an interrupted run loses only the submissions in progress.
"""

from __future__ import annotations

import datetime
import hashlib
import importlib.util
import multiprocessing
import sys
from collections.abc import Iterator, Mapping
from concurrent.futures import ProcessPoolExecutor
from contextlib import ExitStack, closing, contextmanager
from dataclasses import dataclass, field, replace
from functools import partial
from typing import TYPE_CHECKING

from grader.course.course import Assignment, Course
from grader.notebook.notebook_file import InvalidNotebook, read
from grader.notebook.statements import sort_cell

from ..gradebook.exercise_result import ExerciseResult
from ..gradebook.result import Result
from ..gradebook.store import Key, Store
from ..gradebook.totals import UNGRADED
from ..intake.submissions import Submission
from . import by_exercise, class_tries, cluster, fingerprints, judge_process
from .work_folder import place_sockets

if TYPE_CHECKING:
    from ..judge.models.hidden_labels import HiddenLabels


@dataclass(frozen=True)
class Settings:
    """How a class is graded."""

    jobs: int = 2
    tier: str = "A"  # the best this machine offers
    min_tier: str = "C"  # refuse to grade with a worse one
    regrade: bool = False
    exercises: tuple[str, ...] | None = None
    hidden: dict[str, HiddenLabels] = field(default_factory=dict)  # by assignment
    keep: bool = True  # store the results
    executor: str = "processes"  # or one of `cluster`'s


def resolve(
    submission: Submission, course: Course, default: Assignment | None = None
) -> Submission:
    """Set the submission's assignment, from its path or else from the names its code defines."""
    known = [assignment.id for assignment in course.graded]
    id = submission.assignment
    if id not in known:
        id = default.id if default else _by_names(submission.data, course) or known[0]
    beside = submission.beside.only(course.assignment(id).files)
    return replace(submission, assignment=id, beside=beside)


def _by_names(data: bytes, course: Course) -> str:
    try:
        cells = [cell for cell in read(data) if cell.kind == "code"]
    except InvalidNotebook:
        return ""
    bound = {n for cell in cells for f in sort_cell(cell).found for n in f.statement.names}
    names = {a.id: {n for e in a.exercises for n in e.names} for a in course.graded}
    return max(names, key=lambda id: len(names[id] & bound) / len(names[id]))


def key(submission: Submission, assignment: Assignment, settings: Settings) -> Key:
    """The key of a grade: a submission with the same key gets the same grade, without a new run."""
    return Key(
        student=submission.student,
        assignment=assignment.id,
        submission_sha256=submission.sha256,
        suite_sha256=fingerprints.together(parts(assignment, settings, submission.data)),
        environment_sha256=fingerprints.environment(),
        seed=assignment.seed,
        tier=settings.tier,
    )


def parts(assignment: Assignment, settings: Settings, data: bytes = b"") -> dict[str, str]:
    """Hashes of all that decides points: by exercise its tests; "" for what all depend on.

    That includes hidden labels, the fallback model's weights, and our modules that `data` uses.
    """
    found, labels = fingerprints.parts(assignment, data), settings.hidden.get(assignment.id)
    if labels is None:
        return found
    shared = f"{found['']} {labels.source} {labels.fingerprint} {labels.labels}{labels.fallback}"
    return found | {"": hashlib.sha256(shared.encode()).hexdigest()}


def grade_class(
    submissions: list[Submission], course: Course, store: Store, settings: Settings
) -> Iterator[Result]:
    """Yield one result per submission, known ones first, each stored before it is yielded."""
    waiting, partly = list[Submission](), dict[tuple[str, str], by_exercise.Known]()
    for submission in submissions:
        assignment = course.assignment(submission.assignment)
        known = None
        if not (settings.regrade or settings.exercises or submission.problem):
            now = key(submission, assignment, settings)
            known = store.find(**now._asdict())
            newest = store.newest(submission.student, assignment.id) if known is None else None
            tests = parts(assignment, settings, submission.data)
            if found := by_exercise.known(newest, now, tests, assignment):
                partly[submission.student, assignment.id] = found
        if known is not None and known.outcome != UNGRADED:
            result = complete(known, submission, assignment, settings)
            if settings.keep:
                store.add(result)
            yield result
        else:
            waiting.append(submission)
    if not waiting:
        return
    with _graded(waiting, partly, course, settings) as graded:
        for submission, result in graded:
            assignment = course.assignment(submission.assignment)
            result = complete(result, submission, assignment, settings)
            if settings.keep and not settings.exercises:
                store.add(result)
            yield result


@contextmanager
def _graded(
    waiting: list[Submission],
    partly: Mapping[tuple[str, str], by_exercise.Known],
    course: Course,
    settings: Settings,
) -> Iterator[Iterator[tuple[Submission, Result]]]:
    """The new results as they come; their processes, or the cluster, end with the block."""
    assignments = {submission.assignment for submission in waiting}
    start = partial(judges, course, assignments, settings)
    with ExitStack() as stack:
        first_tries = None
        if settings.executor != "processes":
            judge = {
                "course": course,
                "assignments": assignments,
                "hidden": settings.hidden,
                "tier": settings.tier,
                "min_tier": settings.min_tier,
                "environment": fingerprints.environment(),
            }
            tries = cluster.graded(
                waiting, settings.exercises, partly, judge, settings.executor, settings.jobs
            )
            first_tries = stack.enter_context(closing(tries))
        tried = class_tries.graded(waiting, course, settings.exercises, start, partly, first_tries)
        yield stack.enter_context(closing(tried))


def complete(
    result: Result, submission: Submission, assignment: Assignment, settings: Settings
) -> Result:
    """Add the student, file, times and fingerprints to a result from the judge or the store."""
    received = submission.received.isoformat() if submission.received else None
    now = datetime.datetime.now(datetime.timezone.utc).isoformat(timespec="seconds")
    before = result.submission.notices  # from when a stored result was graded
    notices = [notice for notice in result.notices if notice not in before]
    suite_parts = parts(assignment, settings, submission.data)
    submitted = {
        "file": submission.file,
        "received": received,
        "received_from": submission.received_from,
        "notices": submission.notices,
    }
    return result.changed(
        assignment,
        student=submission.student,
        exercises=[_titled(entry, assignment) for entry in result.exercises],
        suite_sha256=fingerprints.together(suite_parts),
        suite_parts=suite_parts,
        environment_sha256=fingerprints.environment(),
        graded_at=result.graded_at or now,
        notices=submission.notices + notices,
        submission=result.submission.model_copy(update=submitted),
    )


def _titled(entry: ExerciseResult, assignment: Assignment) -> ExerciseResult:
    """The entry with the title and section that course.toml has now."""
    exercise = assignment.exercise(entry.id)
    return entry.model_copy(update={"title": exercise.title, "section": exercise.section})


@contextmanager
def judges(
    course: Course, assignments: set[str], settings: Settings
) -> Iterator[ProcessPoolExecutor]:
    """Start judge processes, and the warm processes whose workers they use."""
    from . import warm_processes

    for id in sorted(assignments):
        _installed(course.assignment(id))
    with ExitStack() as stack:
        workers = stack.enter_context(
            warm_processes.started(course, assignments, settings.min_tier)
        )
        place_sockets()
        context = multiprocessing.get_context("forkserver")
        in_torch = any("torch" in course.assignment(id).imports for id in assignments)
        context.set_forkserver_preload([f"grader.judge.{'preload' if in_torch else 'grade'}"])
        yield stack.enter_context(
            ProcessPoolExecutor(
                settings.jobs,
                mp_context=context,
                initializer=judge_process.start,
                initargs=(course, workers, settings.hidden),
            )
        )


def _installed(assignment: Assignment) -> None:
    """Raises ModuleNotFoundError for a library that the assignment needs and that is missing."""
    for name in {module.partition(".")[0] for module in assignment.imports}:
        if sys.modules.get(name, sys) is None or importlib.util.find_spec(name) is None:
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)
