"""Proves every case through every backend, on several processes."""

from __future__ import annotations

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
from . import cases, prove
from .cases import Case
from .prove import BACKENDS, Outcome, local_worker

Found = TypeVar("Found")
SEEDS = tuple(range(20))  # of future releases, under which named bugs must be caught too
SEEDS_A_TASK = 5  # small, so that no process is left with a long task at the end


@dataclass(frozen=True)
class Plan:
    """What is proven: all of it, or a part."""

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
    """One case through one backend, or the claim that must hold under each of the `seeds`."""

    case: Case
    backend: str
    seeds: tuple[int, ...] = ()


def tasks(plan: Plan) -> list[Task]:
    """The tasks of a plan, long ones first, so that the processes finish together.

    Raises BugError for a bug file with a wrong key.
    """
    found: list[Task] = []
    for id in plan.assignments:
        chosen = [
            case
            for case in cases.of(Course.here().assignment(id))
            if case.bug or not (plan.only_bugs or plan.exercise)
            if not plan.exercise or (case.bug and case.bug.exercise == plan.exercise)
        ]
        for case in chosen:
            found += [Task(case, backend) for backend in plan.backends]
            if case.bug and "local" in plan.backends:
                parts = range(0, len(plan.seeds), SEEDS_A_TASK)
                found += [Task(case, "local", plan.seeds[n : n + SEEDS_A_TASK]) for n in parts]
    return sorted(found, key=lambda task: task.case.assignment, reverse=True)


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
    """What opens the workers of a task, in its process."""
    if task.backend != "sandbox":
        return local_worker
    assignment = Course.here().assignment(task.case.assignment)
    return judge_process.opener(_workers[assignment.id], assignment)


def _prove(task: Task) -> list[Outcome]:
    case, opened = task.case, opener(task)
    if task.seeds:
        return list(prove.under_seeds(case, task.backend, opened, task.seeds))
    return list(prove.prove(case, task.backend, opened))
