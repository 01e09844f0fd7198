"""The warm processes of a run: one per assignment, from which sandboxed workers are forked."""

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
    """Start the warm processes of these assignments, until the block ends.

    Raises SandboxError on a machine whose best tier is worse than `min_tier`.
    """
    with ExitStack() as stack:
        folder = stack.enter_context(work_folder())
        warm = {}
        for id in sorted(ids):
            out = student_tree.released_before(syllabus, id)
            student_tree.write(syllabus, folder / id, id, out)
            warm[id] = WarmProcess(folder / id, imports(syllabus.assignment(id)), min_tier=min_tier)
        with ThreadPoolExecutor() as starters:  # they import their libraries in parallel
            starting = [starters.submit(process.__enter__) for process in warm.values()]
        for process, start in zip(warm.values(), starting, strict=True):
            if start.exception() is None:
                stack.push(process)
        for start in starting:
            start.result()
        yield {id: process.workers for id, process in warm.items()}


def imports(assignment: Assignment) -> list[str]:
    """What a warm process imports in advance: what the assignment's notebook imports."""
    return [*assignment.imports, "course_lib.checking.notebook"]
