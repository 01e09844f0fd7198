"""Proves every case through every backend, on several processes."""

import multiprocessing
import signal
import warnings
from collections.abc import Callable, Iterator
from concurrent.futures import ProcessPoolExecutor, as_completed
from dataclasses import dataclass
from multiprocessing.context import BaseContext
from typing import TypeVar

from grader.course.course import Course

from ...grading import judge_process, warm_processes
from ...judge.suite_run import OpenWorker
from ...judge.workers.connection import Workers
from ...judge.workers.local import local_worker
from . import cases, prove
from .cases import Case
from .prove import BACKENDS, Outcome

Found = TypeVar("Found")
SEEDS = tuple(range(20))  # of future releases, under which named bugs must be caught too
BUGS_A_TASK = 10  # of an exercise; few, so that no process has a long task at the end


@dataclass(frozen=True)
class Plan:
    """The plan of a proof: all of it, or a part."""

    assignments: tuple[str, ...]
    exercise: str | None = None  # only its named bugs
    only_bugs: bool = False
    backends: tuple[str, ...] = BACKENDS
    seeds: tuple[int, ...] = SEEDS

    def is_whole(self, course: Course) -> bool:
        every = tuple(assignment.id for assignment in course.graded)
        return self == Plan(every, seeds=self.seeds) and set(SEEDS) <= set(self.seeds)


@dataclass(frozen=True)
class Task:
    """A case, or bugs of an exercise, through one backend; locally also under `seeds`."""

    cases: tuple[Case, ...]
    backend: str
    seeds: tuple[int, ...] = ()

    @property
    def assignment(self) -> str:
        return self.cases[0].assignment


def tasks(plan: Plan) -> list[Task]:
    """The tasks of a plan, long ones first, so that the processes finish together.

    Raises BugError for a bug file with a wrong key.
    """
    found: list[Task] = []
    for id in plan.assignments:
        given = cases.of(Course.here().assignment(id))
        if not (plan.only_bugs or plan.exercise):
            whole = [case for case in given if not case.bug]
            found += [Task((case,), backend) for case in whole for backend in plan.backends]
        bugs = dict[str, list[Case]]()  # by exercise
        for case in given:
            if case.bug and case.bug.exercise == (plan.exercise or case.bug.exercise):
                bugs.setdefault(case.bug.exercise, []).append(case)
        for part in (some for own in bugs.values() for some in batched(own, BUGS_A_TASK)):
            found += [Task(part, backend, plan.seeds) for backend in plan.backends]
    return sorted(found, key=lambda task: (task.assignment, len(task.cases)), reverse=True)


def batched(given: list[Case], size: int) -> Iterator[tuple[Case, ...]]:
    return (tuple(given[n : n + size]) for n in range(0, len(given), size))


def run(plan: Plan, jobs: int) -> Iterator[list[Outcome]]:
    """Yield what each of `tasks(plan)` finds, in the order in which they end."""
    sandboxed = plan.assignments if "sandbox" in plan.backends else ()
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload(["grader.judge.preload", "grader.authoring.proof.prove"])
    yield from in_processes(_prove, tasks(plan), jobs, sandboxed, context)


def in_processes(
    work: Callable[[Task], Found],
    tasks: list[Task],
    jobs: int,
    sandboxed: tuple[str, ...],
    context: BaseContext,
    prepare: Callable[[], None] | None = None,
) -> Iterator[Found]:
    """Yield what `work` finds for each task; `opener` serves the `sandboxed` assignments there."""
    with (
        warm_processes.started(Course.here(), sandboxed) as workers,
        ProcessPoolExecutor(jobs, context, _start, (workers, prepare)) as pool,
    ):
        try:
            for future in as_completed([pool.submit(work, task) for task in tasks]):
                yield future.result()
        finally:
            pool.shutdown(wait=True, cancel_futures=True)


_workers: dict[str, Workers] = {}


def _start(workers: dict[str, Workers], prepare: Callable[[], None] | None) -> None:
    """Initialize a process: ignore Ctrl-C, which the parent handles, and submissions' warnings."""
    global _workers
    judge_process.end_with_parent()
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    warnings.simplefilter("ignore")
    _workers = workers
    if prepare is not None:
        prepare()


def opener(task: Task) -> OpenWorker:
    """A function that opens the workers of a task, in its process."""
    if task.backend != "sandbox":
        return local_worker
    assignment = Course.here().assignment(task.assignment)
    return judge_process.opener(_workers[assignment.id], assignment)


def _prove(task: Task) -> list[Outcome]:
    opened, found = opener(task), list[Outcome]()
    for case in task.cases:
        found += prove.prove(case, task.backend, opened, task.seeds)
    return found
