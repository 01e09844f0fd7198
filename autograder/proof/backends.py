"""The two backends of the seam that every claim is proven through."""

from __future__ import annotations

import contextlib
import tempfile
import time
from collections.abc import Collection, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

from course_lib.seam.executor import Executor
from course_lib.seam.local import LocalBackend
from course_lib.syllabus import Syllabus

from .. import class_run
from ..judge.grade import Load
from ..judge.warm import WarmProcess
from ..judge.workers import Workers
from ..release import student_tree
from ..sandbox import loading

BACKENDS = ("local", "sandbox")


class LocalWorker(LocalBackend):
    """The student's code in this process: the second backend that every suite must run through."""

    isolation: dict[str, Any] = {"tier": "local", "layers": {}}
    printed = ""
    unloadable = None
    clock = staticmethod(time.process_time)


@contextlib.contextmanager
def local_worker(load: Load) -> Iterator[LocalWorker]:
    """Opens one, as `judge_process.opener` opens a sandboxed one."""
    namespace, unavailable, _ = loading.load(
        {
            "statements": [vars(statement) for statement in load.statements],
            "unavailable": load.unavailable,
            "substitutes": load.substitutes,
        }
    )
    executor = Executor(namespace, unavailable)
    try:
        yield LocalWorker(executor)
    finally:
        executor.rules.lift()


@contextlib.contextmanager
def warm_processes(syllabus: Syllabus, ids: Collection[str]) -> Iterator[dict[str, Workers]]:
    """Where sandboxed workers of these assignments come from, until the block ends."""
    with contextlib.ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="course-")))
        folder.chmod(0o755)  # workers run under other users
        warm = {}
        for id in ids:
            student_tree.write(syllabus, folder / id, id)
            warm[id] = WarmProcess(folder / id, class_run.imports(syllabus.assignment(id)))
        with ThreadPoolExecutor() as starters:  # each imports its libraries; none waits for another
            starting = [starters.submit(process.__enter__) for process in warm.values()]
        for process, start in zip(warm.values(), starting, strict=True):
            if start.exception() is None:
                stack.push(process)
        for start in starting:
            start.result()
        yield {id: process.workers for id, process in warm.items()}
