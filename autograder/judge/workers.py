"""One worker, and where workers come from, as a judge process sees them."""

from __future__ import annotations

import contextlib
import json
import multiprocessing.reduction  # lets `Workers` be handed to other judge processes
import socket
import time
from collections.abc import Mapping
from dataclasses import dataclass
from select import select
from typing import Any

from ..sandbox.wire import Channel

END_SECONDS = 10.0

assert multiprocessing.reduction.HAVE_SEND_HANDLE


class SandboxError(RuntimeError):
    """The sandbox failed, not the submission: nothing may be graded from it."""


@dataclass(frozen=True)
class Connection:
    """One worker, seen from the judge: its stream, and the socket its supervisor reports on."""

    channel: Channel
    status: socket.socket

    def end(self, patience: float) -> dict[str, Any]:
        """Let the worker end by itself for `patience` seconds, then have it killed; its report.

        When this returns nothing of it is left. Raises SandboxError when the supervisor is mute.
        """
        with contextlib.suppress(OSError):
            self.channel.stream.shutdown(socket.SHUT_WR)
        report = self._report(patience) if patience else b""
        if report is None or not patience:
            with contextlib.suppress(OSError):
                self.status.shutdown(socket.SHUT_WR)
            report = self._report(END_SECONDS)
        self.channel.close()
        self.status.close()
        try:
            return json.loads(report or b"")
        except ValueError:
            raise SandboxError("a worker's supervisor ended without a report") from None

    def _report(self, patience: float) -> bytes | None:
        """All that the supervisor says, to its end; None when it says nothing in time."""
        until = time.monotonic() + patience
        report = b""
        while select([self.status], [], [], max(0.0, until - time.monotonic()))[0]:
            part = self.status.recv(65536)
            if not part:
                return report
            report += part
        return report or None


@dataclass(frozen=True)
class Workers:
    """Where workers come from; can be pickled to a process that `multiprocessing` starts."""

    control: socket.socket
    tier: str
    layers: tuple[str, ...]

    def start(self, limits: Mapping[str, int] | None = None) -> Connection:
        """A new worker, with some of the warm process's limits changed."""
        stream, workers_end = socket.socketpair()
        status, supervisors_end = socket.socketpair()
        try:
            message = json.dumps(dict(limits or {})).encode()
            ends = [workers_end.fileno(), supervisors_end.fileno()]
            socket.send_fds(self.control, [message], ends)
        except OSError as error:
            raise SandboxError(f"the warm process is gone ({error}); start the run again") from None
        finally:
            workers_end.close()
            supervisors_end.close()
        return Connection(Channel(stream), status)
