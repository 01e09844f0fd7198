"""The judge processes of a run, which are started again if one dies."""

import importlib.util
import multiprocessing
import sys
from collections.abc import Callable, Collection, Iterator
from concurrent.futures import Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass, field
from multiprocessing import forkserver
from typing import TYPE_CHECKING, TypeVar

from grader.course.assignment import Assignment
from grader.course.course import Course
from grader.course.interrupts import Interrupts

from ..course.problem import Problem
from . import judge_process
from .warm_processes import place_sockets

if TYPE_CHECKING:
    from ..judge.models.scorer import HiddenLabels

Answer = TypeVar("Answer")


class JudgePool:
    """Judge processes that start on first use, and again after `stop`; `close` ends them."""

    def __init__(self, course: Course, assignments: Collection[str], settings: "Settings"):
        self._needs, self._stack = (course, assignments, settings), ExitStack()
        self._pool: ProcessPoolExecutor | None = None
        self._unrelated = set(multiprocessing.active_children())

    def ask(self, work: Callable[..., Answer], *arguments: object) -> Future[Answer]:
        """Submit work. Raises if the pool cannot start; later failures are in the future."""
        with Interrupts():  # no process may start that nobody knows of
            if self._pool is None:
                self._pool = self._stack.enter_context(started(*self._needs))
            try:
                return self._pool.submit(work, *arguments)
            except BrokenProcessPool as error:
                failed: Future[Answer] = Future()
                failed.set_exception(error)
                return failed

    def stop(self) -> None:
        """Kill the judges after a failure, ignoring further errors.

        They cannot be joined: one that died may have held a lock that another waits for forever.
        """
        for process in set(multiprocessing.active_children()) - self._unrelated:
            process.kill()
        with suppress(Exception):
            if self._pool is not None and sys.version_info < (3, 12):
                # as newer Pythons do: sending a notebook to a dead judge would block forever
                self._pool._call_queue._reader.close()  # type: ignore[attr-defined]
            self.close()

    def close(self) -> None:
        with Interrupts():  # nor a folder be left half removed
            pool, self._pool = self._pool, None
            if pool is not None:
                pool.shutdown(wait=True, cancel_futures=True)
            stack, self._stack = self._stack, ExitStack()
            stack.close()


@contextmanager
def started(
    course: Course, assignments: Collection[str], settings: "Settings"
) -> Iterator[ProcessPoolExecutor]:
    """Start judge processes, and the warm processes whose workers they use."""
    from . import warm_processes

    for id in sorted(assignments):
        _check_installed(course.assignment(id))
    place_sockets()
    context = multiprocessing.get_context("forkserver")
    in_torch = any("torch" in course.assignment(id).imports for id in assignments)
    context.set_forkserver_preload([f"grader.judge.{'preload' if in_torch else 'grade'}"])
    forkserver.ensure_running()  # it imports its libraries while the warm processes import theirs
    with (
        warm_processes.started(course, assignments, settings.min_tier, settings.hidden) as workers,
        ProcessPoolExecutor(
            settings.jobs,
            mp_context=context,
            initializer=judge_process.start,
            initargs=(course, workers, settings.hidden, settings.proven),
        ) as pool,
    ):
        yield pool


def _check_installed(assignment: Assignment) -> None:
    """Raises ModuleNotFoundError for a library that the assignment needs and that is missing."""
    for name in {module.partition(".")[0] for module in assignment.imports}:
        if sys.modules.get(name, sys) is None or importlib.util.find_spec(name) is None:
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)


@dataclass(frozen=True)
class Settings:
    """How a class is graded."""

    jobs: int = 2
    tier: str = "A"  # the best this machine offers
    min_tier: str = "C"  # refuse to grade with a worse one
    regrade: bool = False
    exercises: tuple[str, ...] | None = None
    hidden: "dict[str, HiddenLabels]" = field(default_factory=dict)  # by assignment
    proven: frozenset[str] = frozenset()  # assignments whose suite has no wrong test
    keep: bool = True  # store the results
    executor: str = "processes"  # or one of `cluster`'s
    ended: frozenset[str] = frozenset()  # assignments that nobody can hand in any more


class ClusterError(Problem):
    """The executor's cluster cannot be used; says why and what to do."""
