"""Proves every case through every backend, on several processes."""

from __future__ import annotations

import contextlib
import multiprocessing
import signal
import warnings
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor, as_completed
from dataclasses import dataclass

from grader.course.course import Course

from ...grading import judge_process, warm_processes
from ...judge.suite_run import OpenWorker
from ...judge.workers.connection import Workers
from . import cases, prove
from .cases import Case
from .prove import BACKENDS, Outcome, local_worker

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
    """One case through one backend; `seeds` are for the claim that must hold under every seed."""

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
    with contextlib.ExitStack() as stack:
        workers = stack.enter_context(warm_processes.started(Course.here(), sandboxed))
        context = multiprocessing.get_context("forkserver")
        context.set_forkserver_preload(["grader.judge.preload", "grader.authoring.proof.prove"])
        pool = stack.enter_context(
            ProcessPoolExecutor(jobs, mp_context=context, initializer=_start, initargs=(workers,))
        )
        try:
            for future in as_completed([pool.submit(_prove, task) for task in tasks(plan)]):
                yield future.result()
        finally:
            pool.shutdown(wait=True, cancel_futures=True)


_workers: dict[str, Workers]


def _start(workers: dict[str, Workers]) -> None:
    """Initialize a process: ignore Ctrl-C, which the parent handles, and submissions' warnings."""
    global _workers
    judge_process.end_with_parent()
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    warnings.simplefilter("ignore")
    _workers = workers


def _prove(task: Task) -> list[Outcome]:
    case, assignment = task.case, Course.here().assignment(task.case.assignment)
    opened: OpenWorker = local_worker
    if task.backend == "sandbox":
        opened = judge_process.opener(_workers[assignment.id], assignment)
    if task.seeds:
        return list(prove.under_seeds(case, task.backend, opened, task.seeds))
    return list(prove.prove(case, task.backend, opened))
