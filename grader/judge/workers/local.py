"""Runs code in this process: the course's own, or known submissions, never a student's."""

import contextlib
import io
import signal
import sys
import threading
import time
from collections.abc import Iterator
from typing import Any

from grader.seam import StudentError, loading
from grader.seam.codec import Tree
from grader.seam.errors import TIMEOUT
from grader.seam.executor import Executor, LocalBackend

from .load import Load


class LocalWorker(LocalBackend):
    """Runs the student's code in this process; every suite must pass through it too."""

    isolation: dict[str, Any] = {"tier": "local", "layers": {}}
    printed = ""
    unloadable = None
    clock = staticmethod(time.process_time)

    def request(self, request: Tree, payload: bytes, deadline: float | None) -> tuple[Tree, bytes]:
        with contextlib.redirect_stdout(io.StringIO()):
            return super().request(request, payload, deadline)


class TimedWorker(LocalWorker):
    """One whose calls end after some seconds of CPU time, on a process's main thread."""

    def __init__(self, executor: Executor, seconds: float):
        super().__init__(executor)
        self.seconds = seconds

    def request(self, request: Tree, payload: bytes, deadline: float | None) -> tuple[Tree, bytes]:
        if threading.current_thread() is not threading.main_thread():
            return super().request(request, payload, deadline)
        before = signal.signal(signal.SIGVTALRM, _too_long)
        signal.setitimer(signal.ITIMER_VIRTUAL, max(deadline or 0.0, self.seconds))
        try:
            return super().request(request, payload, deadline)
        finally:
            signal.setitimer(signal.ITIMER_VIRTUAL, 0)
            signal.signal(signal.SIGVTALRM, before)


def _too_long(signal: int, frame: object) -> None:
    raise StudentError(TIMEOUT, "it took too long")


@contextlib.contextmanager
def local_worker(load: Load, seconds: float = 0.0) -> Iterator[LocalWorker]:
    """Open a LocalWorker, as `judge_process.opener` opens a sandboxed one.

    Like a process of its own, it begins without the figures of an earlier one. `seconds`: the CPU
    time that a call may take; 0 is any.
    """
    if pyplot := sys.modules.get("matplotlib.pyplot"):
        pyplot.close("all")
    namespace, unavailable, _ = loading.load(
        {
            "statements": [vars(statement) for statement in load.statements],
            "unavailable": load.unavailable,
            "substitutes": load.substitutes,
            "forbidden": load.forbidden,
        }
    )
    executor = Executor(namespace, unavailable)
    yield TimedWorker(executor, seconds) if seconds else LocalWorker(executor)
