"""Grades a class in parallel, then retries doubtful results one at a time.

A judge process that dies or a sandbox that fails costs nobody a point: it is replaced and the
submission is tried again. If that fails too, its row says so.
"""

from __future__ import annotations

import multiprocessing
import sys
from collections.abc import Callable, Generator, Iterable, Iterator, Mapping
from concurrent.futures import Future, ProcessPoolExecutor, as_completed
from concurrent.futures.process import BrokenProcessPool
from contextlib import AbstractContextManager, ExitStack, closing, suppress
from typing import TYPE_CHECKING, TypeVar

from grader.checking.faults import SuiteError
from grader.course.interrupts import Interrupts

from . import judge_process

if TYPE_CHECKING:
    from grader.course.course import Assignment, Course

    from ..gradebook.result import Result
    from ..intake.submissions import Submission
    from .by_exercise import Known

Answer = TypeVar("Answer")
ATTEMPTS = 2  # one at a time, the second one with new judges


def graded(
    submissions: list[Submission],
    course: Course,
    exercises: tuple[str, ...] | None,
    start_judges: Callable[[], AbstractContextManager[ProcessPoolExecutor]],
    known: Mapping[tuple[str, str], Known],
    first_tries: Iterable[tuple[Submission, Result | None]] | None = None,
) -> Generator[tuple[Submission, Result]]:
    """Yield each submission with its result as they come, whatever happens to the judges.

    `known`: by student and assignment, what need not run again. `first_tries` come from elsewhere,
    such as a cluster; by default these judges make them. If the first start of the judges fails, or
    a suite cannot be read, nobody can be graded and its exception is raised.
    """
    from ..judge import second_try

    with closing(_Judges(start_judges)) as judges:
        doubtful: list[tuple[Submission, Result | None]] = []
        if first_tries is None:
            first_tries = _first_tries(submissions, exercises, judges, known)
        for submission, first in first_tries:
            if first is None or second_try.is_needed(first):
                doubtful.append((submission, first))
            else:
                yield submission, first
        for submission, first in doubtful:
            assignment = course.assignment(submission.assignment)
            yield submission, _alone(submission, first, assignment, exercises, judges)


def _first_tries(
    submissions: list[Submission],
    exercises: tuple[str, ...] | None,
    judges: _Judges,
    known: Mapping[tuple[str, str], Known],
) -> Iterator[tuple[Submission, Result | None]]:
    suites = {submission.assignment for submission in submissions}
    trouble = judges.ask(judge_process.proofread, suites).exception()
    if isinstance(trouble, SuiteError):
        raise trouble
    futures = {
        judges.ask(judge_process.grade_one, s, exercises, known.get((s.student, s.assignment))): s
        for s in submissions
    }
    for future in as_completed(futures):
        submission = futures.pop(future)  # a result that was stored need not stay in memory
        yield submission, None if future.exception() else future.result()


def _alone(
    submission: Submission,
    first: Result | None,
    assignment: Assignment,
    exercises: tuple[str, ...] | None,
    judges: _Judges,
) -> Result:
    """The result of a try with no others running; UNGRADED if the grader itself fails."""
    trouble: Exception | None = None
    for _ in range(ATTEMPTS):
        try:
            return judges.ask(judge_process.grade_again, submission, exercises, first).result()
        except SuiteError as error:  # another try would end in the same way
            trouble = error
            break
        except Exception as error:  # whatever it is, the rest of the class must be graded
            trouble = error
            judges.stop()
    from ..judge import grade as judge

    died = isinstance(trouble, BrokenProcessPool)
    why = "the process that graded it died" if died else _sentence(trouble)
    reason = f"could not be graded: {why}; run the same command again"
    facts = judge.facts_of(submission.data, submission.files()[0])
    return judge.ungraded(reason, assignment, facts)


def _sentence(trouble: Exception | None) -> str:
    text = " ".join(str(trouble).split())
    return (text or type(trouble).__name__)[:300]


class _Judges:
    """A pool of judge processes that starts on first use, and again after `stop`."""

    def __init__(self, start: Callable[[], AbstractContextManager[ProcessPoolExecutor]]):
        self._start, self._stack = start, ExitStack()
        self._pool: ProcessPoolExecutor | None = None
        self._unrelated = set(multiprocessing.active_children())

    def ask(self, work: Callable[..., Answer], *arguments: object) -> Future[Answer]:
        """Submit work. Raises if the pool cannot start; later failures are in the future."""
        with Interrupts():  # no process may start that nobody knows of
            if self._pool is None:
                self._pool = self._stack.enter_context(self._start())
            try:
                return self._pool.submit(work, *arguments)
            except BrokenProcessPool as error:
                failed: Future[Answer] = Future()
                failed.set_exception(error)
                return failed

    def stop(self) -> None:
        """Kill the judges after a failure, ignoring further errors.

        They cannot be joined: one that died may have held a lock that another waits for forever.
        """
        for process in set(multiprocessing.active_children()) - self._unrelated:
            process.kill()
        with suppress(Exception):
            if self._pool is not None and sys.version_info < (3, 12):
                # as newer Pythons do: sending a notebook to a dead judge would block forever
                self._pool._call_queue._reader.close()  # type: ignore[attr-defined]
            self.close()

    def close(self) -> None:
        with Interrupts():  # nor a folder be left half removed
            pool, self._pool = self._pool, None
            if pool is not None:
                pool.shutdown(wait=True, cancel_futures=True)
            stack, self._stack = self._stack, ExitStack()
            stack.close()
