"""The warm processes of a run, one per assignment, that fork workers; and its temporary folder.

Where trained models are scored, there is one more, with the whole library: its workers read the
submitted weights and never run a student's code.
"""

import ast
import multiprocessing.util
import os
import shutil
import tempfile
import time
from collections.abc import Collection, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import replace
from functools import lru_cache
from pathlib import Path

from grader.course.assignment import Assignment
from grader.course.course import Course
from grader.notebook.notebook_file import read
from grader.notebook.statements import sort_cell

from ..judge.workers.connection import Workers
from ..judge.workers.warm_process import WarmProcess
from ..library import student_tree

PREFIX = "course-run-"
STARTING = "course-start-"  # its name until it is locked, a moment later
YOUNG_SECONDS = 60.0
SHORT = Path("/tmp")  # there on every POSIX system
LONGEST = 50  # bytes of the temporary folder's path: with what follows, a socket's has 103 at most


@contextmanager
def work_folder(parent: Path | None = None) -> Iterator[Path]:
    """A world-readable folder, removed at the end; removes leftovers of killed runs first.

    A run holds a lock on its folder, which the system releases however the run ends. `parent` is
    the system's temporary folder unless it is given.
    """
    parent = parent or Path(tempfile.gettempdir())
    _remove_leftovers(parent)
    starting = Path(tempfile.mkdtemp(prefix=STARTING, dir=parent))
    lock = _locked(starting)
    folder = starting.rename(parent / f"{PREFIX}{starting.name.removeprefix(STARTING)}")
    owner = os.getpid()
    try:
        folder.chmod(0o755)  # workers run under other users
        yield folder
    finally:
        if os.getpid() == owner:  # a forked child drops its copy of this, and must not clean up
            shutil.rmtree(folder, ignore_errors=True)
        if lock is not None:
            os.close(lock)


@lru_cache(maxsize=1)
def place_sockets() -> None:
    """Make multiprocessing put its sockets into a work folder that this process keeps to its end.

    It would put them into a folder of its own, which nobody removes after a `kill -9`, and fail
    where the temporary folder's path is long: a socket's path must be short.
    """
    is_long = len(os.fsencode(tempfile.gettempdir())) > LONGEST
    stack = ExitStack()
    folder = stack.enter_context(work_folder(SHORT if is_long else None))
    # after multiprocessing has removed what it put there, at -100
    multiprocessing.util.Finalize(None, stack.close, exitpriority=-200)
    before, tempfile.tempdir = tempfile.tempdir, str(folder)
    try:
        multiprocessing.util.get_temp_dir()  # it remembers the folder
    finally:
        tempfile.tempdir = before


def _remove_leftovers(parent: Path) -> None:
    for folder in [*parent.glob(f"{PREFIX}*"), *parent.glob(f"{STARTING}*")]:
        with suppress(OSError):
            stat = folder.lstat()
            young = time.time() - stat.st_mtime < YOUNG_SECONDS
            if stat.st_uid != os.getuid() or (young and folder.name.startswith(STARTING)):
                continue
            lock = _locked(folder)
            if lock is not None:
                shutil.rmtree(folder, ignore_errors=True)
                os.close(lock)


def _locked(folder: Path) -> int | None:
    """A descriptor that holds the folder's lock; None if another process has it."""
    import fcntl  # not on Windows, where nothing is graded

    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        os.close(descriptor)
        return None
    return descriptor


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
            student_tree.write_whole(course, folder / OF_COURSE)
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
    given = _of_starter(assignment, course.facts.libraries)
    return [*assignment.imports, "grader.checking.notebook", *given]


def _of_starter(assignment: Assignment, libraries: Collection[str]) -> list[str]:
    """The modules of these packages that the starter's cells import."""
    starter = assignment.starter
    if not starter.exists():
        return []
    cells = [cell for cell in read(starter.read_bytes()) if cell.kind == "code"]
    nodes = [found.node for cell in cells for found in sort_cell(cell).found]
    modules = {node.module or "" for node in nodes if isinstance(node, ast.ImportFrom)}
    return sorted(name for name in modules if name.partition(".")[0] in libraries)
