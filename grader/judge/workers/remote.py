"""The seam's backend for a sandboxed worker: the judge measures the time of every request.

A worker that hangs, dies or sends nonsense is killed. The next request goes to a fresh one, with
the same statements loaded and the current test begun again.
"""

import signal
import time
from typing import Any

from grader.seam.codec import Tree
from grader.seam.errors import CRASHED, OOM, PROTOCOL, TIMEOUT, StudentError

from ...sandbox import process_tree
from ...sandbox.wire import ProtocolError, Timeout, WallClock
from .connection import Connection, SandboxError, Workers
from .load import Load, TimeLimit
from .warm_process import WarmProcess

__all__ = ["RemoteBackend", "SandboxError", "WarmProcess", "Workers"]

GOODBYE_SECONDS = 1.0  # for a worker to exit by itself
START_SECONDS = 120.0  # for a process to be forked and confined, even on a busy machine
LOAD_SECONDS = 4.0  # for imports and definitions; a second try has more
MAX_OUTPUT = 16 * 1024  # characters kept, over all workers of a submission


class RemoteBackend:
    """A `grader.seam.facade.Backend` that runs in a worker; a context manager.

    `deadline` is the default for a request, `load_deadline` for what is loaded first, in seconds of
    CPU time. After `restarts` replaced workers every request raises CRASHED.
    """

    def __init__(
        self,
        workers: Workers,
        load: Load,
        *,
        deadline: float = 2.0,
        load_deadline: float = LOAD_SECONDS,
        restarts: int = 40,
    ):
        self.workers, self.load, self.patience = workers, load, load.patience
        self.deadline, self.load_deadline, self.restarts = deadline, load_deadline, restarts
        self.isolation: dict[str, Any] = {"tier": workers.tier, "layers": {}}
        self.problems: list[Tree] = []  # statements that failed: {cell, reason}
        self.reports: list[Tree] = []  # how each worker ended, from its supervisor
        self.unloadable: StudentError | None = None  # why these statements cannot be loaded
        self._connection: Connection | None = None
        self._supervisor: int | None = None
        self._trouble = ""  # the sandbox's own; must not be taken for a failing test
        self._final: StudentError | None = None  # what every further request raises
        self._begun: tuple[Tree, bytes] | None = None
        self._handles_lost = False
        self._number = 0  # of the last request; its answer has the same number

    def __enter__(self) -> "RemoteBackend":
        return self

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        self.close()
        if self._trouble and kind is None:
            raise SandboxError(self._trouble)

    def close(self) -> None:
        """End the worker; none of its processes is left afterwards."""
        if self._connection is not None:
            self._end(GOODBYE_SECONDS)

    @property
    def printed(self) -> str:
        """The beginning of the submission's output. Ends the worker, so that it is complete."""
        self.close()
        texts = (report.get(name, "") for report in self.reports for name in ("stdout", "stderr"))
        return "".join(texts)[:MAX_OUTPUT]

    def clock(self) -> float:
        """Seconds of CPU time that the worker has used; wall-clock seconds without /proc."""
        if self._supervisor is None:
            return time.monotonic()
        return process_tree.activity(self._supervisor).cpu_seconds

    def request(
        self, request: Tree, payload: bytes, deadline: float | None = None
    ) -> tuple[Tree, bytes]:
        """The worker's answer within `deadline` seconds of CPU time.

        Raises StudentError TIMEOUT, CRASHED, OOM or PROTOCOL. Raises SandboxError if the sandbox
        and not the submission is at fault; then so do later requests and the end of the `with`.
        """
        if self._trouble:
            raise SandboxError(self._trouble)
        try:
            return self._request(request, payload, deadline or self.deadline)
        except SandboxError as error:
            self._trouble = str(error)
            raise

    def _request(self, request: Tree, payload: bytes, seconds: float) -> tuple[Tree, bytes]:
        begins = request.get("verb") == "begin"
        if begins:
            self._begun, self._handles_lost = (request, payload), False
        elif self._handles_lost and _mentions_handle(request):
            raise StudentError(
                CRASHED, "this object was lost with its process: see the earlier error"
            )
        if self._final is None and (why := self.patience.exhausted):
            self._final = StudentError(TIMEOUT, why)
        if self._final is not None:
            raise StudentError(self._final.kind, self._final.message)
        if begins:
            return self._begin()
        if self._connection is None:
            self._start()
            if self._begun:
                self._exchange(*self._begun, self.patience.shorten(self.deadline))
        return self._exchange(request, payload, self.patience.shorten(seconds))

    def _begin(self) -> tuple[Tree, bytes]:
        """Begin a test, in a fresh worker if an earlier test left this one unusable."""
        assert self._begun is not None
        if self._connection is not None:
            try:
                return self._exchange(*self._begun, self.patience.shorten(self.deadline))
            except StudentError:
                self._handles_lost = False  # this test has none yet
        self._start()
        return self._exchange(*self._begun, self.patience.shorten(self.deadline))

    def _start(self) -> None:
        """Start a worker and load everything. A failure while loading is final."""
        if len(self.reports) > self.restarts:
            why = f"gave up after {len(self.reports)} processes of this submission hung or died"
            self._final = StudentError(CRASHED, why)
            raise self._final
        self._connection = connection = self.workers.start(self.load.limits)
        self._supervisor = connection.supervisor(START_SECONDS)
        try:
            greeting, _ = connection.channel.receive(WallClock(START_SECONDS))
        except (EOFError, OSError, Timeout) as error:
            reason = self._end(0).get("reason") or f"it sent nothing ({type(error).__name__})"
            raise SandboxError(f"a worker did not start: {reason}") from None
        if "ready" not in greeting:
            self._end(GOODBYE_SECONDS)
            raise SandboxError(f"a worker did not start: {greeting.get('refused')}")
        self.isolation = greeting["ready"]
        missing = set(self.workers.layers) - set(self.isolation["layers"])
        if missing or self.isolation["tier"] != self.workers.tier:
            self._end(0)
            raise SandboxError(f"a worker runs without the layers {', '.join(sorted(missing))}")
        try:
            answer, _ = self._exchange(self.load.request, b"", self.load_deadline)
        except StudentError as error:
            message = f"while the cells were loaded: {error.message}"
            self._final = self.unloadable = StudentError(error.kind, message)
            raise self._final from None
        problems = answer.get("loaded")
        self.problems = problems if isinstance(problems, list) else []

    def _exchange(self, request: Tree, payload: bytes, seconds: float) -> tuple[Tree, bytes]:
        """Send a request and receive its answer. Any failure ends the worker: StudentError."""
        assert self._connection is not None
        channel = self._connection.channel
        limit = TimeLimit(seconds, self._supervisor, self.patience.left)
        self._number += 1
        began = time.monotonic()
        try:
            channel.send({**request, "id": self._number}, payload, limit)
            answer, data = channel.receive(limit)
        except Timeout as timeout:
            raise self._failure(0, TIMEOUT, str(timeout)) from None
        except (EOFError, OSError):
            raise self._failure(GOODBYE_SECONDS, CRASHED, "the process ended") from None
        except ProtocolError as error:
            raise self._failure(0, CRASHED, f"it sent {error} instead of an answer") from None
        finally:
            self.patience.waited += time.monotonic() - began
        if answer.get("id") != self._number:
            raise self._failure(0, CRASHED, "it sent an answer to no request")
        if not answer.keys() & {"ok", "error", "loaded"}:
            raise self._failure(0, PROTOCOL, "the answer has neither a value nor an error")
        problem = answer.get("error")
        self.patience.failed += isinstance(problem, dict) and problem.get("kind") == OOM
        return answer, data

    def _failure(self, patience: float, kind: str, message: str) -> StudentError:
        """End the worker; returns the supervisor's cause as an error, else `kind` and `message`."""
        report = self._end(patience)
        cause = report.get("cause")
        self.patience.failed += kind == TIMEOUT or cause == "memory"
        if cause == "memory":
            return StudentError(OOM, "the process used more memory than allowed")
        if cause in ("disk", "processes"):
            what = "wrote more to disk" if cause == "disk" else "started more processes"
            return StudentError(CRASHED, f"the process {what} than allowed")
        if cause == "cpu":
            used = f"{report.get('cpu_seconds', 0):.0f} s of CPU time"
            return StudentError(TIMEOUT, f"the process used {used}, the most a notebook may use")
        if cause == "wall":
            return StudentError(TIMEOUT, "the process ran for longer than a notebook may")
        if cause not in ("ended", "judge"):
            raise SandboxError(f"a worker's supervisor gave up: {report.get('reason', cause)}")
        if cause == "ended" and report.get("signal"):
            message = f"the process was killed by {_signal_name(report['signal'])}"
        elif cause == "ended" and kind == CRASHED:
            message = f"the process exited with code {report.get('exit')}"
        return StudentError(kind, message)

    def _end(self, patience: float) -> Tree:
        assert self._connection is not None
        connection, self._connection = self._connection, None
        self._handles_lost = True
        report = connection.end(patience)
        self.reports.append(report)
        return report


def _signal_name(number: int) -> str:
    return signal.Signals(number).name if number in set(signal.Signals) else f"signal {number}"


def _mentions_handle(tree: object) -> bool:
    """Whether a request refers to an object in the worker (a name, number -1, is not one)."""
    if isinstance(tree, dict):
        if tree.get("k") == "handle":
            return tree.get("n", -1) >= 0
        return any(_mentions_handle(part) for part in tree.values())
    return isinstance(tree, list) and any(_mentions_handle(part) for part in tree)
