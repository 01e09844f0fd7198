"""One worker, and where workers come from, as a judge process sees them."""

from __future__ import annotations

import contextlib
import json
import multiprocessing.reduction  # lets `Workers` be handed to other judge processes
import socket
import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from select import select
from typing import Any

from ...sandbox.wire import Channel

END_SECONDS = 60.0  # for a supervisor to end everything, on a machine with much else to do

assert multiprocessing.reduction.HAVE_SEND_HANDLE


class SandboxError(RuntimeError):
    """The sandbox failed, not the submission: nothing may be graded from it."""


@dataclass(frozen=True)
class Connection:
    """One worker, seen from the judge: its stream, and the socket its supervisor reports on."""

    channel: Channel
    status: socket.socket
    _said: bytearray = field(default_factory=bytearray)  # by the supervisor, a line a message

    def supervisor(self, patience: float) -> int | None:
        """The supervisor's process id; None when it does not say, or no /proc would tell more."""
        until = time.monotonic() + patience
        while b"\n" not in self._said and self._listen(until):
            continue
        pid = _message(self._said.partition(b"\n")[0]).get("supervisor")
        return pid if pid and Path(f"/proc/{pid}/stat").exists() else None

    def end(self, patience: float) -> dict[str, Any]:
        """Let the worker end by itself for `patience` seconds, then have it killed; its report.

        When this returns nothing of it is left. Raises SandboxError when the supervisor is mute.
        """
        with contextlib.suppress(OSError):
            self.channel.stream.shutdown(socket.SHUT_WR)
        if not patience or not self._listen_to_the_end(patience):
            with contextlib.suppress(OSError):
                self.status.shutdown(socket.SHUT_WR)
            self._listen_to_the_end(END_SECONDS)
        self.channel.close()
        self.status.close()
        report = _message(self._said.rstrip(b"\n").rpartition(b"\n")[2])
        if "cause" not in report:
            raise SandboxError("a worker's supervisor ended without a report")
        return report

    def _listen_to_the_end(self, patience: float) -> bool:
        """Whether the supervisor was done in time."""
        until = time.monotonic() + patience
        while part := self._listen(until):
            continue
        return part is not None

    def _listen(self, until: float) -> bytes | None:
        """Take what the supervisor says: b"" at its end, None when it says nothing in time."""
        if not select([self.status], [], [], max(0.0, until - time.monotonic()))[0]:
            return None
        part = self.status.recv(65536)
        self._said.extend(part)
        return part


def _message(line: bytes | bytearray) -> dict[str, Any]:
    try:
        return json.loads(line)
    except ValueError:
        return {}


@dataclass(frozen=True)
class Workers:
    """Where workers come from; can be pickled to a process that `multiprocessing` starts."""

    control: socket.socket
    tier: str
    layers: tuple[str, ...]

    def start(self, limits: Mapping[str, int] | None = None) -> Connection:
        """A new worker, with some of the warm process's limits changed."""
        message = json.dumps(dict(limits or {})).encode()
        try:
            stream, workers_end = socket.socketpair()
            status, supervisors_end = socket.socketpair()
            with workers_end, supervisors_end:
                ends = [workers_end.fileno(), supervisors_end.fileno()]
                socket.send_fds(self.control, [message], ends)
        except OSError as error:
            raise SandboxError(f"no worker could be asked for ({error})") from None
        return Connection(Channel(stream), status)
