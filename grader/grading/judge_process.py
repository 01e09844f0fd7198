"""A judge process: grades one submission after another, each in fresh workers."""

from __future__ import annotations

import multiprocessing
import os
import signal
import threading
from collections.abc import Collection
from typing import TYPE_CHECKING

from grader.course.course import Assignment, Course

from ..intake.submissions import Submission

if TYPE_CHECKING:
    from ..gradebook.result import Result
    from ..judge.models.hidden_labels import HiddenLabels
    from ..judge.suite_run import OpenWorker
    from ..judge.workers.load import Load
    from ..judge.workers.remote import RemoteBackend
    from ..judge.workers.warm_process import Workers
    from .by_exercise import Known


def opener(
    workers: Workers, assignment: Assignment, load_seconds: float | None = None
) -> OpenWorker:
    """Return a function that opens a sandboxed worker; loading may take `load_seconds` of CPU."""
    from ..judge.workers.remote import LOAD_SECONDS, RemoteBackend

    def open_worker(load: Load) -> RemoteBackend:
        seconds = load_seconds or LOAD_SECONDS
        return RemoteBackend(workers, load, deadline=assignment.call_seconds, load_deadline=seconds)

    return open_worker


_course: Course
_workers: dict[str, Workers]
_hidden: dict[str, HiddenLabels]


def start(course: Course, workers: dict[str, Workers], hidden: dict[str, HiddenLabels]) -> None:
    """Initialize a judge process. It ignores Ctrl-C, which its parent handles, and ends with it."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    end_with_parent()
    use(course, workers, hidden)


def use(course: Course, workers: dict[str, Workers], hidden: dict[str, HiddenLabels]) -> None:
    """Set what this process grades with."""
    global _course, _workers, _hidden
    _course, _workers, _hidden = course, workers, hidden


def end_with_parent() -> None:
    """Exit when the parent process ends, even if it is killed."""
    parent = multiprocessing.parent_process()
    assert parent is not None

    def watch() -> None:
        parent.join()
        os._exit(1)

    threading.Thread(target=watch, daemon=True).start()


def proofread(assignments: Collection[str]) -> None:
    """Raises SuiteError if some test of these assignments cannot run, whatever the submission."""
    from ..judge import suite_run

    for id in sorted(assignments):
        suite_run.proofread(_course.assignment(id))


def grade_one(
    submission: Submission, exercises: tuple[str, ...] | None, known: Known | None = None
) -> Result:
    """Grade one submission in a judge process; a first try, see `judge.second_try`.

    Of a `known` one only some exercises run again, unless their outcome is in doubt.
    """
    from . import by_exercise

    if known is not None:
        fresh = _judge(submission, known.again, scored=False)
        if by_exercise.is_usable(fresh):
            assignment = _course.assignment(submission.assignment)
            return by_exercise.merged(known, fresh, assignment)
    return _judge(submission, exercises)


def grade_again(
    submission: Submission,
    exercises: tuple[str, ...] | None,
    first: Result | None,
    public_only: bool = False,
) -> Result:
    """Grade one submission with no others running; returns the better of two tries."""
    from ..judge import second_try

    if first is None:  # there was no first try, or the grader failed on it
        first = _judge(submission, exercises, public_only)
    if not second_try.is_needed(first):
        return first
    return second_try.better(first, _judge(submission, exercises, public_only, first))


def check_one(submission: Submission) -> Result:
    """Run only the visible tests, in a judge process with no other work."""
    return grade_again(submission, None, None, public_only=True)


def _judge(
    submission: Submission,
    exercises: tuple[str, ...] | None,
    public_only: bool = False,
    before: Result | None = None,
    scored: bool = True,
) -> Result:
    """Grade a submission; `scored`: run its trained model too, if there are labels."""
    from ..judge import grade as judge
    from ..judge import second_try
    from ..judge.suite_run import Submitted

    assignment = _course.assignment(submission.assignment)
    if submission.problem:
        return judge.invalid(submission.problem, assignment, judge.NOTHING_READ)
    load_seconds = second_try.LOAD_SECONDS if before else None
    opened = opener(_workers[submission.assignment], assignment, load_seconds)
    files, problem = submission.files()
    submitted = Submitted(assignment, submission.data, files, exercises, public_only)
    hidden = _hidden.get(assignment.id) if scored else None
    result = judge.grade(submitted, _course, opened, hidden, before)
    return result.model_copy(update={"notices": [*result.notices, problem]}) if problem else result
