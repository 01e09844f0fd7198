"""A judge process: grades one submission after another, each in fresh workers."""

from __future__ import annotations

import multiprocessing
import os
import signal
import threading
from collections.abc import Collection
from dataclasses import replace
from typing import TYPE_CHECKING

from grader.course.assignment import Assignment
from grader.course.course import Course

from ..intake.submissions import Submission
from ..sandbox import limits

if TYPE_CHECKING:
    from ..gradebook.result import Result
    from ..judge.grade import Try
    from ..judge.models.scorer import HiddenLabels
    from ..judge.own_mistakes import Asked
    from ..judge.suite_run import OpenWorker, Submitted
    from ..judge.workers.load import Load
    from ..judge.workers.remote import RemoteBackend
    from ..judge.workers.warm_process import Workers
    from .by_exercise import Known


MEMORY_MIB = 4096  # of a judge, on top of its libraries


def opener(
    workers: Workers, assignment: Assignment, load_seconds: float | None = None
) -> OpenWorker:
    """Return a function that opens a sandboxed worker; loading may take `load_seconds` of CPU."""
    from ..judge.workers.remote import LOAD_SECONDS, RemoteBackend

    def open_worker(load: Load) -> RemoteBackend:
        seconds = load_seconds or LOAD_SECONDS
        chosen = workers.of_course if load.of_course else workers
        assert chosen is not None  # every assignment with a trained model has them
        return RemoteBackend(chosen, load, deadline=assignment.call_seconds, load_deadline=seconds)

    return open_worker


_course: Course
_workers: dict[str, Workers]
_hidden: dict[str, HiddenLabels]
_proven: Collection[str]
_asked: Asked


def start(
    course: Course,
    workers: dict[str, Workers],
    hidden: dict[str, HiddenLabels],
    proven: Collection[str],
) -> None:
    """Initialize a judge process. It ignores Ctrl-C, which its parent handles, and ends with it."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    end_with_parent()
    limit_memory()
    use(course, workers, hidden, proven)


def use(
    course: Course,
    workers: dict[str, Workers],
    hidden: dict[str, HiddenLabels],
    proven: Collection[str] = (),
) -> None:
    """Set what this process grades with; the suites of `proven` assignments have no wrong test."""
    global _course, _workers, _hidden, _proven, _asked
    _course, _workers, _hidden, _proven, _asked = course, workers, hidden, proven, {}


def limit_memory() -> None:
    """Bound what this process may allocate: then a test of a submission fails, not the machine."""
    import resource  # not on Windows, where nothing is graded

    most = limits.status_bytes("VmData") + MEMORY_MIB * 2**20
    ceiling = resource.getrlimit(resource.RLIMIT_DATA)[1]
    if ceiling == resource.RLIM_INFINITY or most < ceiling:
        resource.setrlimit(resource.RLIMIT_DATA, (most, most))


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


def first_try(
    submission: Submission, exercises: tuple[str, ...] | None, known: Known | None = None
) -> Try:
    """Try to grade one submission in a judge process, among others.

    Of a `known` one only some exercises run again, unless their outcome is in doubt.
    """
    from . import by_exercise

    if known is not None:
        fresh = _try(submission, known.again, scored=False)
        if by_exercise.is_usable(fresh.result):
            return fresh
    return _try(submission, exercises)


def second_try(
    submission: Submission,
    exercises: tuple[str, ...] | None,
    first: Try | None,
    public_only: bool = False,
) -> Try:
    """Try again if it is needed, with no others running; returns the better of two tries."""
    from ..judge import reruns

    if first is None:  # there was no first try, or the grader failed on it
        first = _try(submission, exercises, public_only)
    if not reruns.needs_second_try(first.result):
        return first
    again = _try(submission, exercises, public_only, first.result)
    return max(again, first, key=lambda tried: reruns.worth(tried.result))


def rerun(submission: Submission, tried: Try) -> Try:
    """The try after its next rerun, for which the class is ready: see `judge.reruns`."""
    from ..judge import grade as judge

    submitted, problem = _submitted(submission, tried.only, public_only=False)
    opened = opener(_workers[submission.assignment], submitted.assignment)
    after = judge.rerun(submitted, _course, opened, tried)
    return replace(after, result=_noted(after.result, problem))


def check_one(submission: Submission) -> Result:
    """Run only the visible tests, in a judge process with no other work."""
    return second_try(submission, None, None, public_only=True).result


def _try(
    submission: Submission,
    exercises: tuple[str, ...] | None,
    public_only: bool = False,
    before: Result | None = None,
    scored: bool = True,
) -> Try:
    """Try a submission; `scored`: run its trained model too, if there are labels."""
    from ..judge import grade as judge
    from ..judge import reruns

    assignment = _assignment(submission)
    if submission.problem:
        return judge.Try(judge.invalid(submission.problem, assignment, judge.NOTHING_READ))
    load_seconds = reruns.SECOND_LOAD_SECONDS if before else None
    opened = opener(_workers[submission.assignment], assignment, load_seconds)
    submitted, problem = _submitted(submission, exercises, public_only)
    hidden = _hidden.get(assignment.id) if scored else None
    asked = None if assignment.id in _proven else _asked
    tried = judge.once(submitted, _course, opened, hidden, before, asked)
    return replace(tried, result=_noted(tried.result, problem))


def _assignment(submission: Submission) -> Assignment:
    return _course.assignment(submission.assignment)


def _submitted(
    submission: Submission, exercises: Collection[str] | None, public_only: bool
) -> tuple[Submitted, str]:
    """The submission, and the reason if the files next to the notebook cannot be read."""
    from ..judge.suite_run import Submitted

    files, problem = submission.files()
    assignment = _assignment(submission)
    return Submitted(assignment, submission.data, files, exercises, public_only), problem


def _noted(result: Result, problem: str) -> Result:
    if not problem or problem in result.notices:
        return result
    return result.model_copy(update={"notices": [*result.notices, problem]})
