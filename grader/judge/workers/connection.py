"""A judge process's connection to one worker, and the socket on which it asks for new ones."""

import contextlib
import json
import multiprocessing.reduction  # lets `Workers` be pickled to other judge processes
import socket
import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from select import select
from typing import Any

from ...course.problem import Problem
from ...sandbox.wire import Channel

END_SECONDS = 60.0  # for a supervisor to end everything, even on a busy machine

assert multiprocessing.reduction.HAVE_SEND_HANDLE


class SandboxError(Problem):
    """The sandbox failed, not the submission, so no grade may be based on it."""

    exit_code = 3


@dataclass(frozen=True)
class Connection:
    """The judge's end of one worker: its stream, and its supervisor's status socket."""

    channel: Channel
    status: socket.socket
    _received: bytearray = field(default_factory=bytearray)  # from the supervisor, in lines

    def supervisor(self, patience: float) -> int | None:
        """The supervisor's process id; None if it does not send one or there is no /proc."""
        until = time.monotonic() + patience
        while b"\n" not in self._received and self._listen(until):
            continue
        pid = _message(self._received.partition(b"\n")[0]).get("supervisor")
        return pid if pid and Path(f"/proc/{pid}/stat").exists() else None

    def end(self, patience: float) -> dict[str, Any]:
        """Give the worker `patience` seconds to exit, then have it killed; returns the report.

        None of its processes is left afterwards. Raises SandboxError if there is no report.
        """
        with contextlib.suppress(OSError):
            self.channel.stream.shutdown(socket.SHUT_WR)
        if not patience or not self._listen_to_the_end(patience):
            with contextlib.suppress(OSError):
                self.status.shutdown(socket.SHUT_WR)
            self._listen_to_the_end(END_SECONDS)
        self.channel.close()
        self.status.close()
        report = _message(self._received.rstrip(b"\n").rpartition(b"\n")[2])
        if "cause" not in report:
            raise SandboxError("a worker's supervisor ended without a report")
        return report

    def _listen_to_the_end(self, patience: float) -> bool:
        """Whether the supervisor finished in time."""
        until = time.monotonic() + patience
        while part := self._listen(until):
            continue
        return part is not None

    def _listen(self, until: float) -> bytes | None:
        """Read from the supervisor: b"" at its end, None if nothing comes in time."""
        if not select([self.status], [], [], max(0.0, until - time.monotonic()))[0]:
            return None
        part = self.status.recv(65536)
        self._received.extend(part)
        return part


def _message(line: bytes | bytearray) -> dict[str, Any]:
    try:
        return json.loads(line)
    except ValueError:
        return {}


@dataclass(frozen=True)
class Workers:
    """Starts workers; can be pickled to a process that `multiprocessing` starts."""

    control: socket.socket
    tier: str
    layers: tuple[str, ...]
    of_course: "Workers | None" = None  # with the whole library, for the course's own code

    def start(self, limits: Mapping[str, int] | None = None) -> Connection:
        """Start a worker; `limits` override some of the warm process's."""
        message = json.dumps(dict(limits or {})).encode()
        try:
            stream, workers_end = socket.socketpair()
            status, supervisors_end = socket.socketpair()
            with workers_end, supervisors_end:
                ends = [workers_end.fileno(), supervisors_end.fileno()]
                socket.send_fds(self.control, [message], ends)
        except OSError as error:
            raise SandboxError(f"no worker could be started ({error})") from None
        return Connection(Channel(stream), status)
