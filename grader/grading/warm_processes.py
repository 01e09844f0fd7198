"""The warm processes of a run: one per assignment, from which sandboxed workers are forked.

Where trained models are scored, there is one more, with the whole library: its workers read the
submitted weights and never run a student's code.
"""

import ast
from collections.abc import Collection, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager
from dataclasses import replace

from grader.course.assignment import Assignment
from grader.course.course import Course
from grader.notebook.notebook_file import read
from grader.notebook.statements import sort_cell

from ..judge.workers.connection import Workers
from ..judge.workers.warm_process import WarmProcess
from ..library import student_tree, whole_tree
from .work_folder import work_folder

OF_COURSE = "course"  # no id of an assignment


@contextmanager
def started(
    course: Course, ids: Collection[str], min_tier: str = "C", scored: Collection[str] | None = None
) -> Iterator[dict[str, Workers]]:
    """Start the warm processes of these assignments, until the block ends.

    Only trained models of `scored` assignments are run; by default of all.

    Raises SandboxError on a machine whose best tier is worse than `min_tier`.
    """
    with ExitStack() as stack:
        folder = stack.enter_context(work_folder())
        warm = {}
        for id in sorted(ids):
            out = student_tree.released_before(course, id)
            student_tree.write(course, folder / id, id, out)
            warm[id] = WarmProcess(
                folder / id, imports(course, id), min_tier=min_tier, course_root=course.root
            )
        models = {*ids} if scored is None else {*ids} & {*scored}
        parts = [part for id in sorted(models) if (part := course.assignment(id).model)]
        if parts:
            whole_tree.write(course, folder / OF_COURSE)
            needs = ["torch", *(part.computed_by for part in parts)]
            warm[OF_COURSE] = WarmProcess(
                folder / OF_COURSE, needs, min_tier=min_tier, course_root=course.root
            )
        with ThreadPoolExecutor() as starters:  # they import their libraries in parallel
            starting = [starters.submit(process.__enter__) for process in warm.values()]
        for process, start in zip(warm.values(), starting, strict=True):
            if start.exception() is None:
                stack.push(process)
        for start in starting:
            start.result()
        own = warm[OF_COURSE].workers if parts else None
        yield {id: replace(warm[id].workers, of_course=own) for id in ids}


def imports(course: Course, id: str) -> list[str]:
    """The modules that a warm process imports in advance: what the assignment's notebook imports.

    Of the course's library that is what the starter imports. Left to the workers, each of them
    would read and compile these modules again.
    """
    assignment = course.assignment(id)
    given = _of_starter(assignment, course.facts.library)
    return [*assignment.imports, "grader.checking.notebook", *given]


def _of_starter(assignment: Assignment, library: str) -> list[str]:
    """The modules of the library that the starter's cells import."""
    starter = assignment.starter
    if not starter.exists():
        return []
    cells = [cell for cell in read(starter.read_bytes()) if cell.kind == "code"]
    nodes = [found.node for cell in cells for found in sort_cell(cell).found]
    modules = {node.module or "" for node in nodes if isinstance(node, ast.ImportFrom)}
    return sorted(name for name in modules if name.startswith(f"{library}."))
