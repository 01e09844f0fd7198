"""The warm processes of a run: one an assignment, from which sandboxed workers are forked."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager

from course_lib.course.syllabus import Assignment, Syllabus

from ..judge.workers.connection import Workers
from ..judge.workers.warm_process import WarmProcess
from ..release import student_tree
from .work_folder import work_folder


@contextmanager
def started(
    syllabus: Syllabus, ids: Collection[str], min_tier: str = "C"
) -> Iterator[dict[str, Workers]]:
    """Where workers of these assignments come from, until the block ends.

    Raises IsolationError for a machine that offers less than `min_tier`.
    """
    with ExitStack() as stack:
        folder = stack.enter_context(work_folder())
        warm = {}
        for id in sorted(ids):
            student_tree.write(syllabus, folder / id, id)
            warm[id] = WarmProcess(folder / id, imports(syllabus.assignment(id)), min_tier=min_tier)
        with ThreadPoolExecutor() as starters:  # each imports its libraries; none waits for another
            starting = [starters.submit(process.__enter__) for process in warm.values()]
        for process, start in zip(warm.values(), starting, strict=True):
            if start.exception() is None:
                stack.push(process)
        for start in starting:
            start.result()
        yield {id: process.workers for id, process in warm.items()}


def imports(assignment: Assignment) -> list[str]:
    """What a worker of this assignment has imported beforehand: what its notebook imports."""
    return [*assignment.imports, "course_lib.checking.notebook"]
