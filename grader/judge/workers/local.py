"""Runs code in this process: the course's own, or known submissions, never a student's."""

from __future__ import annotations

import contextlib
import io
import time
from collections.abc import Iterator
from typing import Any

from grader.seam import loading
from grader.seam.codec import Tree
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


@contextlib.contextmanager
def local_worker(load: Load) -> Iterator[LocalWorker]:
    """Open a LocalWorker, as `judge_process.opener` opens a sandboxed one."""
    namespace, unavailable, _ = loading.load(
        {
            "statements": [vars(statement) for statement in load.statements],
            "unavailable": load.unavailable,
            "substitutes": load.substitutes,
            "forbidden": load.forbidden,
        }
    )
    yield LocalWorker(Executor(namespace, unavailable))
