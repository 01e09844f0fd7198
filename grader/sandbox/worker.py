"""The process in which a student's code runs: confines itself, loads, answers, ends.

Once the first statement runs, the student's code may change anything here. No grade is decided
here: the worst it can do is answer wrongly.
"""

import contextlib
import os
import socket
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NoReturn

from grader.seam import loading, switches, torch_calls
from grader.seam.errors import PROTOCOL
from grader.seam.executor import Executor

from . import confine
from .limits import Limits
from .tiers import LayerFailed
from .wire import Channel, ProtocolError

_STREAM = 3  # the only file descriptor besides the standard three


@dataclass(frozen=True)
class Job:
    """One worker to run. `alive` is a pipe that closes when the warm process ends."""

    tier: str
    grants: Sequence[str]
    limits: Limits
    uid: int | None
    stream: socket.socket
    status: socket.socket
    alive: int


def run(job: Job, scratch: str, outputs: list[int]) -> NoReturn:
    """Confine, load and answer requests until the judge closes the stream."""
    code = 70
    try:
        os.setsid()
        channel = _only_channel(job, outputs)
        try:
            layers = confine.confine(job.tier, job.grants, job.limits, job.uid, scratch)
        except LayerFailed as error:
            channel.send({"refused": str(error)})
            os._exit(code)
        _set_up_process(scratch)
        channel.send({"ready": {"tier": job.tier, "layers": layers}})
        _answer(channel)
        code = 0
    except EOFError:
        code = 0  # the judge has no more requests
    finally:
        for stream in (sys.stdout, sys.stderr):
            with contextlib.suppress(BaseException):
                stream.flush()
        os._exit(code)


def _only_channel(job: Job, outputs: list[int]) -> Channel:
    """Keep the judge's stream and the three standard ones; close every other descriptor."""
    kept = [os.open(os.devnull, os.O_RDONLY), *outputs, os.dup(job.stream.fileno())]
    for target, descriptor in enumerate(kept):  # all of them beyond 2, so none is overwritten
        os.dup2(descriptor, target)
    for inherited in (job.stream, job.status):
        inherited.detach()  # otherwise its finalizer would close a reused descriptor
    for descriptor in _descriptors():
        if descriptor > _STREAM:
            with contextlib.suppress(OSError):
                os.close(descriptor)
    return Channel(socket.socket(fileno=_STREAM))


def _descriptors() -> list[int]:
    try:
        return [int(name) for name in os.listdir("/proc/self/fd")]
    except OSError:
        return list(range(os.sysconf("SC_OPEN_MAX")))


def _set_up_process(scratch: str) -> None:
    """Set the working folder, the environment and the standard streams for the student's code."""
    os.chdir(scratch)
    os.environ.clear()
    os.environ.update(
        HOME=scratch, TMPDIR=scratch, USER="student", PATH="/usr/bin:/bin", LANG="C.UTF-8",
        OMP_NUM_THREADS="1", MPLBACKEND="Agg",
    )  # fmt: skip
    tempfile.tempdir = None
    sys.argv[:] = ["student"]
    sys.stdin = os.fdopen(0, closefd=False)
    sys.stdout, sys.stderr = (
        os.fdopen(number, "w", 1, "utf-8", "backslashreplace", closefd=False) for number in (1, 2)
    )


def _answer(channel: Channel) -> None:
    """Answer one "load" message, then one request at a time until the stream ends."""
    message, _ = channel.receive()
    torch_calls.watch_new_threads()
    switches.guard()
    namespace, unavailable, problems = loading.load(message["load"])
    executor = Executor(namespace, unavailable)
    channel.send({"loaded": problems, "id": message["id"]})
    while True:
        request, payload = channel.receive()
        answer, data = executor.respond(request, payload)
        try:
            channel.send({**answer, "id": request["id"]}, data)
        except ProtocolError as error:
            too_large = {"kind": PROTOCOL, "message": str(error), "where": ""}
            channel.send({"error": too_large, "id": request["id"]})
