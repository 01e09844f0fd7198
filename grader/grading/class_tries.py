"""Tries to grade each submission in parallel, then doubtful ones again, one at a time.

A judge process that dies or a sandbox that fails costs nobody a point: it is replaced and the
submission is tried again. If that fails too, its row says so.
"""

from __future__ import annotations

from collections.abc import Generator, Iterable, Iterator, Mapping
from concurrent.futures import as_completed
from concurrent.futures.process import BrokenProcessPool
from typing import TYPE_CHECKING

from grader.checking.faults import SuiteError

from . import judge_process

if TYPE_CHECKING:
    from grader.course.course import Course

    from ..gradebook.result import Result
    from ..intake.submissions import Submission
    from .by_exercise import Known
    from .judge_pool import JudgePool

ATTEMPTS = 2  # one at a time, the second one with new judges


def first_tries(
    submissions: list[Submission],
    exercises: tuple[str, ...] | None,
    known: Mapping[tuple[str, str], Known],
    pool: JudgePool,
) -> Generator[tuple[Submission, Result | None]]:
    """Yield each submission with its result as they come; None if the judges failed on it.

    `known`: by student and assignment, what need not run again. If the judges cannot start, or a
    suite cannot be read, nobody can be graded and the exception is raised.
    """
    suites = {submission.assignment for submission in submissions}
    trouble = pool.ask(judge_process.proofread, suites).exception()
    if isinstance(trouble, SuiteError):
        raise trouble
    futures = {
        pool.ask(judge_process.grade_one, s, exercises, known.get((s.student, s.assignment))): s
        for s in submissions
    }
    for future in as_completed(futures):
        submission = futures.pop(future)  # a result that was stored need not stay in memory
        yield submission, None if future.exception() else future.result()


def settled(
    tries: Iterable[tuple[Submission, Result | None]],
    exercises: tuple[str, ...] | None,
    course: Course,
    pool: JudgePool,
) -> Iterator[tuple[Submission, Result]]:
    """Yield the results that are beyond doubt as they come, then those of second tries."""
    from ..judge import second_try

    doubtful: list[tuple[Submission, Result | None]] = []
    for submission, first in tries:
        if first is None or second_try.is_needed(first):
            doubtful.append((submission, first))
        else:
            yield submission, first
    for submission, first in doubtful:
        yield submission, _alone(submission, first, exercises, course, pool)


def _alone(
    submission: Submission,
    first: Result | None,
    exercises: tuple[str, ...] | None,
    course: Course,
    pool: JudgePool,
) -> Result:
    """The result of a try with no others running; UNGRADED if the grader itself fails."""
    trouble: Exception | None = None
    for _ in range(ATTEMPTS):
        try:
            return pool.ask(judge_process.grade_again, submission, exercises, first).result()
        except SuiteError as error:  # another try would end in the same way
            trouble = error
            break
        except Exception as error:  # whatever it is, the rest of the class must be graded
            trouble = error
            pool.stop()
    from ..judge import grade as judge

    died = isinstance(trouble, BrokenProcessPool)
    why = "the process that graded it died" if died else _sentence(trouble)
    reason = f"could not be graded: {why}; run the same command again"
    facts = judge.facts_of(submission.data, submission.files()[0])
    return judge.ungraded(reason, course.assignment(submission.assignment), facts)


def _sentence(trouble: Exception | None) -> str:
    text = " ".join(str(trouble).split())
    return (text or type(trouble).__name__)[:300]
