"""Grades a class: finds what is new, has it graded, stores each result as it comes.

    judge processes (trusted, one per job)  ──▶  one warm process per assignment  ──▶  workers

Each result is stored at once, so an interrupted run loses only the submissions in progress.
"""

import datetime
from collections.abc import Iterator, Mapping
from contextlib import AbstractContextManager, closing, nullcontext
from dataclasses import replace

from grader.course.assignment import Assignment
from grader.course.course import Course
from grader.notebook import written_answers
from grader.notebook.notebook_file import InvalidNotebook, read
from grader.notebook.statements import sort_cell

from ..gradebook.exercise_result import ExerciseResult
from ..gradebook.result import Key, Result
from ..gradebook.store import Store
from ..gradebook.totals import UNGRADED
from ..intake.choice import Begun
from ..intake.submissions import Submission
from . import by_exercise, cluster, fingerprints, retries
from .judge_pool import JudgePool, Settings


def resolve(
    submission: Submission, course: Course, default: Assignment | None = None
) -> Submission:
    """Set the submission's assignment, from its path or else from the names its code defines."""
    known = [assignment.id for assignment in course.graded]
    id = submission.assignment
    if id not in known:
        id = default.id if default else _by_names(submission.data, course) or known[0]
    assignment = course.assignment(id)
    beside = submission.beside.only(assignment.files, assignment.most)
    return replace(submission, assignment=id, beside=beside)


def begun_in(course: Course) -> Begun:
    """Make the test whether anything of one of the course's assignments is written in cells."""
    return lambda id, cells: written_answers.is_begun(course.assignment(id), cells)


def _by_names(data: bytes, course: Course) -> str:
    try:
        cells = [cell for cell in read(data) if cell.kind == "code"]
    except InvalidNotebook:
        return ""
    bound = {n for cell in cells for f in sort_cell(cell).found for n in f.statement.names}
    names = {a.id: {n for e in a.exercises for n in e.names} for a in course.graded}
    return max(names, key=lambda id: len(names[id] & bound) / len(names[id]))


def grade_class(
    submissions: list[Submission], course: Course, store: Store, settings: Settings
) -> Iterator[Result]:
    """Yield one result per submission, known ones first, each stored before it is yielded."""
    suites = {
        id: fingerprints.parts(course, course.assignment(id), settings.hidden.get(id))
        for id in {submission.assignment for submission in submissions}
    }
    waiting, partly = list[Submission](), dict[tuple[str, str], by_exercise.Known]()
    for submission in submissions:
        assignment, suite = course.assignment(submission.assignment), suites[submission.assignment]
        stored = None
        if not (settings.regrade or settings.exercises or submission.problem):
            now = key(submission, assignment, suite, settings.tier)
            stored = _usable(store.find(now), settings)
            newest = store.newest(submission.student, assignment.id) if stored is None else None
            newest = _usable(newest, settings)
            if known := by_exercise.known(newest, now, suite, assignment):
                partly[submission.student, assignment.id] = known
        if stored is None or stored.outcome == UNGRADED:
            waiting.append(submission)
            continue
        result = complete(stored, submission, assignment, suite)
        if settings.keep:
            store.add(result)
        yield result
    if not waiting:
        return
    ids = {submission.assignment for submission in waiting}
    proven = {
        s.assignment
        for s in {s.assignment: s for s in waiting}.values()
        if not settings.exercises  # then nothing is stored, nor is the store open
        and store.knows(
            key(s, course.assignment(s.assignment), suites[s.assignment], settings.tier)
        )
    }
    settings = replace(settings, proven=frozenset(proven))
    with (
        closing(JudgePool(course, ids, settings)) as pool,
        _judges(ids, course, settings) as judges,
    ):
        for submission, tried in retries.grade_all(
            waiting, settings.exercises, partly, course, pool, judges, settings.ended
        ):
            id = submission.assignment
            assignment = course.assignment(id)
            result = by_exercise.whole(partly.get((submission.student, id)), tried, assignment)
            result = complete(result, submission, assignment, suites[id])
            if settings.keep and not settings.exercises:
                store.add(result)
            yield result


def _usable(stored: Result | None, settings: Settings) -> Result | None:
    """A stored result, unless tests of it waited for the end of the assignment, which has come."""
    waits = stored is not None and stored.provisional and stored.assignment in settings.ended
    return None if waits else stored


def key(submission: Submission, assignment: Assignment, suite: Mapping[str, str], tier: str) -> Key:
    """The key of a grade: a submission with the same key gets the same grade, without a new run.

    `suite`: what decides points, as `fingerprints.parts`.
    """
    return Key(
        student=submission.student,
        assignment=assignment.id,
        submission_sha256=submission.sha256,
        suite_sha256=fingerprints.combine(suite),
        environment_sha256=fingerprints.environment(),
        seed=assignment.seed,
        tier=tier,
    )


def _judges(
    ids: set[str], course: Course, settings: Settings
) -> AbstractContextManager[retries.Judges | None]:
    """The judges of a cluster; None for those of this machine."""
    if settings.executor == "processes":
        return nullcontext()
    return cluster.judges(ids, course, settings)


def complete(
    result: Result, submission: Submission, assignment: Assignment, suite: Mapping[str, str]
) -> Result:
    """Add the student, file, times and fingerprints to a result from the judge or the store."""
    received = submission.received.isoformat() if submission.received else None
    now = datetime.datetime.now(datetime.timezone.utc).isoformat(timespec="seconds")
    before = result.submission.notices  # from when a stored result was graded
    notices = [notice for notice in result.notices if notice not in before]
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
        suite_sha256=fingerprints.combine(suite),
        suite_parts=dict(suite),
        environment_sha256=fingerprints.environment(),
        graded_at=result.graded_at or now,
        notices=submission.notices + notices,
        submission=result.submission.model_copy(update=submitted),
    )


def _titled(entry: ExerciseResult, assignment: Assignment) -> ExerciseResult:
    """The entry with the title and section that course.toml has now."""
    exercise = assignment.exercise(entry.id)
    return entry.model_copy(update={"title": exercise.title, "section": exercise.section})
