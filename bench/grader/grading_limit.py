"""Measures a submission's own code, graded in one process: a bound for the grader.

The suite's requests are answered in this process, by the code that a worker runs. Loading the
notebook and answering is counted, with reading each request and writing its answer; the tests, the
judge's side and the sandbox are not. A request that several tests make counts each time.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager

import torch

from grader.course.assignment import Assignment
from grader.course.course import Course
from grader.judge.grade import once
from grader.judge.suite_run import Submitted
from grader.judge.workers.load import Load
from grader.judge.workers.local import LocalWorker, local_worker
from grader.seam.codec import Tree

Answer = tuple[Tree, bytes]


def seconds(course: Course, assignment: Assignment, notebook: bytes, times: int) -> list[float]:
    """Wall seconds of the notebook's code, each time anew, after one that is not counted.

    As in a worker, it has one thread.
    """
    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    try:
        return [_once(course, assignment, notebook) for _ in range(times + 1)][1:]
    finally:
        torch.set_num_threads(threads)


def _once(course: Course, assignment: Assignment, notebook: bytes) -> float:
    spent = 0.0

    @contextmanager
    def timed(load: Load) -> Iterator[LocalWorker]:
        nonlocal spent
        started = time.perf_counter()
        with local_worker(load) as worker:
            spent += time.perf_counter() - started
            respond = worker.executor.respond

            def answer(request: Tree, payload: bytes) -> Answer:
                nonlocal spent
                started = time.perf_counter()
                try:
                    return respond(request, payload)
                finally:
                    spent += time.perf_counter() - started

            worker.executor.respond = answer  # type: ignore[method-assign]
            yield worker

    once(Submitted(assignment, notebook), course, timed)
    return spent
