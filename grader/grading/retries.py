"""Tries each submission in parallel, doubtful ones again one at a time, then reruns failed tests.

A judge process that dies or a sandbox that fails costs nobody a point: it is replaced and the
submission is tried again. If that fails too, its row says so.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from concurrent.futures import as_completed
from concurrent.futures.process import BrokenProcessPool
from typing import TYPE_CHECKING, Any

from grader.checking.faults import SuiteError

from . import judge_process

if TYPE_CHECKING:
    from grader.course.course import Course

    from ..intake.submissions import Submission
    from ..judge.grade import Try
    from .by_exercise import Known
    from .judge_pool import JudgePool

ATTEMPTS = 2  # one at a time, the second one with new judges

# A submission and what else a function of `judge_process` is given; its answer comes with it, in
# any order, and is None if the judges failed on it.
Question = tuple[Any, ...]
Answer = tuple[Question, Any]
Judges = Callable[[Callable[..., Any], list[Question]], Iterator[Answer]]


def grade_all(
    submissions: Sequence[Submission],
    exercises: tuple[str, ...] | None,
    known: Mapping[tuple[str, str], Known],
    course: Course,
    pool: JudgePool,
    judges: Judges | None = None,
    ended: Collection[str] = (),
) -> Iterator[tuple[Submission, Try]]:
    """Yield each submission with its last try, those with tests to run again last.

    `known`: by student and assignment, what need not run again; a try may be of the rest alone.
    `judges` are this machine's, or a cluster's. All tries end before the first rerun begins, and
    only `ended` assignments have any: see `judge.reruns`.
    """
    from ..judge import reruns

    judges = judges or on_this_machine(pool, {s.assignment for s in submissions})
    doubtful, waiting = list[Question](), list[Question]()
    first = [(s, exercises, known.get((s.student, s.assignment))) for s in submissions]
    for (submission, *_), tried in judges(judge_process.first_try, first):
        if tried is None or reruns.needs_second_try(tried.result):
            doubtful.append((submission, exercises, tried))
        elif tried.plan and submission.assignment in ended:
            waiting.append((submission, tried))
        else:
            yield submission, tried
    for question in doubtful:
        tried, trouble = _alone(pool, judge_process.second_try, question)
        if tried is None:
            yield question[0], _ungraded(question[0], course, trouble)
        elif tried.plan and question[0].assignment in ended:
            waiting.append((question[0], tried))
        else:
            yield question[0], tried
    yield from _with_reruns(waiting, course, pool, judges)


def _with_reruns(
    waiting: list[Question], course: Course, pool: JudgePool, judges: Judges
) -> Iterator[tuple[Submission, Try]]:
    """Run the planned reruns, one place of the course after the other."""
    order = [assignment.id for assignment in course.graded]

    def place(question: Question) -> tuple[int, tuple[int, int]]:
        return order.index(question[0].assignment), question[1].plan[0].place

    while waiting:
        first = min(map(place, waiting))
        now = [question for question in waiting if place(question) == first]
        waiting = [question for question in waiting if place(question) != first]
        for question, tried in [*judges(judge_process.rerun, now)]:
            submission = question[0]
            trouble = None
            if tried is None:
                tried, trouble = _alone(pool, judge_process.rerun, question)
            if tried is None:
                yield submission, _ungraded(submission, course, trouble)
            elif tried.plan:
                waiting.append((submission, tried))
            else:
                yield submission, tried


def on_this_machine(pool: JudgePool, assignments: set[str]) -> Judges:
    """The judges of a pool. If they cannot start, or a suite cannot be read, nobody can be graded
    and the exception is raised.
    """
    trouble = pool.ask(judge_process.proofread, assignments).exception()
    if isinstance(trouble, SuiteError):
        raise trouble

    def ask(work: Callable[..., Any], questions: list[Question]) -> Iterator[Answer]:
        futures = {pool.ask(work, *question): question for question in questions}
        for future in as_completed(futures):
            question = futures.pop(future)  # a result that was stored need not stay in memory
            yield question, None if future.exception() else future.result()

    return ask


def _alone(
    pool: JudgePool, work: Callable[..., Any], question: Question
) -> tuple[Any, Exception | None]:
    """The answer with no other work in progress, or None and why the grader fails."""
    trouble: Exception | None = None
    for _ in range(ATTEMPTS):
        try:
            return pool.ask(work, *question).result(), None
        except SuiteError as error:  # another try would end in the same way
            return None, error
        except Exception as error:  # whatever it is, the rest of the class must be graded
            trouble = error
            pool.stop()
    return None, trouble


def _ungraded(submission: Submission, course: Course, trouble: Exception | None) -> Try:
    from ..judge import grade as judge

    died = isinstance(trouble, BrokenProcessPool)
    why = "the process that graded it died" if died else _sentence(trouble)
    reason = f"could not be graded: {why}; run the same command again"
    facts = judge.facts_of(submission.data, submission.files()[0])
    return judge.Try(judge.ungraded(reason, course.assignment(submission.assignment), facts))


def _sentence(trouble: Exception | None) -> str:
    text = " ".join(str(trouble).split())
    return (text or type(trouble).__name__)[:300]
