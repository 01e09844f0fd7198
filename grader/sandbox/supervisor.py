"""Watches one worker from outside its namespaces; runs no student code.

Kills the worker when the judge closes the status socket, when the warm process is gone, or when the
worker's processes together exceed a limit; then cleans up after it and reports how it ended.
"""

import contextlib
import json
import os
import resource
import select
import signal
import socket
import tempfile
import time
from typing import NoReturn

from . import confine, process_tree, readable_files, tiers, worker
from .worker import Job

TICK_MS = 100  # milliseconds between checks of the limits
SEND_SECONDS = 5.0  # for the judge to read the report


def supervise(job: Job) -> NoReturn:
    """Fork the worker, wait for its end, report on the status socket."""
    os.setsid()
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)  # whoever started us may have ignored it
    _send(job.status, {"supervisor": os.getpid()})  # the judge measures CPU time below this pid
    scratch = readable_files.SCRATCH
    has_view = tiers.VIEW in tiers.LAYERS[job.tier]
    report: dict[str, object] = {}
    try:
        if not has_view:
            scratch = tempfile.mkdtemp(prefix="worker-")
            if job.uid is not None:
                os.chown(scratch, job.uid, job.uid)
        confine.separate(job.tier)
        report = _watch(job, scratch)
    except tiers.LayerFailed as error:
        report = {"cause": "refused", "reason": str(error)}
    except BaseException as error:
        report = {"cause": "refused", "reason": f"{type(error).__name__}: {error}"}
    finally:
        process_tree.end_all(os.getpid())
        if not has_view:
            process_tree.remove(scratch)
        _send(job.status, report)
        os._exit(0)  # closes the socket, which ends the report


class _Sink:
    """Keeps the first bytes of a stream and drains the rest."""

    def __init__(self, room: int):
        self.room, self.kept = room, b""
        self.reading, self.writing = os.pipe()
        os.set_blocking(self.reading, False)

    def drain(self) -> bool:
        """Read at most 64 KiB of what is waiting; False if there is nothing (more)."""
        try:
            data = os.read(self.reading, 65536)
        except BlockingIOError:
            return False
        self.kept += data[: self.room - len(self.kept)]
        return bool(data)

    def text(self) -> str:
        return self.kept.decode("utf-8", "replace")


def _watch(job: Job, scratch: str) -> dict[str, object]:
    sinks = [_Sink(job.limits.output_kib * 1024) for _ in range(2)]
    kills_before = process_tree.oom_kills()
    pid = os.fork()
    if pid == 0:
        try:
            worker.run(job, scratch, [sink.writing for sink in sinks])
        finally:
            os._exit(1)  # whatever happens, the child must never continue as a supervisor
    job.stream.close()
    for sink in sinks:
        os.close(sink.writing)
    cause, status = _until_the_end(job, pid, scratch, sinks)
    for sink in sinks:
        while sink.drain() and len(sink.kept) < sink.room:
            pass
    if not cause and os.WIFSIGNALED(status) and os.WTERMSIG(status) == signal.SIGKILL:
        # not sent from here; in a pid namespace only the kernel can have sent it
        cause = "memory" if process_tree.oom_kills() > kills_before else cause
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    seconds = usage.ru_utime + usage.ru_stime
    if not cause and os.WIFSIGNALED(status) and seconds >= job.limits.cpu_seconds:
        cause = "cpu"
    return {
        "cause": cause or "ended",
        "exit": os.WEXITSTATUS(status) if os.WIFEXITED(status) else None,
        "signal": os.WTERMSIG(status) if os.WIFSIGNALED(status) else None,
        "cpu_seconds": round(seconds, 3),
        "peak_mib": usage.ru_maxrss // 1024,
        "stdout": sinks[0].text(),
        "stderr": sinks[1].text(),
    }


def _until_the_end(job: Job, pid: int, scratch: str, sinks: list[_Sink]) -> tuple[str, int]:
    """Why the worker was killed ("" if it ended by itself), and its wait status."""
    poll = select.poll()
    by_fd = {sink.reading: sink for sink in sinks}
    enders = {job.status.fileno(): "judge", job.alive: "warm process gone"}
    ended = os.pidfd_open(pid) if hasattr(os, "pidfd_open") else -1
    for fd in (*by_fd, *enders, *([ended] if ended >= 0 else [])):
        poll.register(fd, select.POLLIN)
    deadline = time.monotonic() + job.limits.wall_seconds
    cause, next_check = "", 0.0
    while True:
        ready = [fd for fd, _ in poll.poll(TICK_MS)]
        for fd in ready:
            if fd in by_fd and not by_fd[fd].drain():
                poll.unregister(fd)  # every process that could write to it is gone
        if not cause:
            if (status := process_tree.reap(pid)) is not None:
                return "", status
            if time.monotonic() >= next_check:
                next_check = time.monotonic() + TICK_MS / 1000
                cause = _exceeded_limit(job, scratch, deadline)
            cause = cause or next((enders[fd] for fd in ready if fd in enders), "")
        if cause:
            os.kill(pid, signal.SIGKILL)
            return cause, os.waitpid(pid, 0)[1]


def _exceeded_limit(job: Job, scratch: str, deadline: float) -> str:
    if time.monotonic() > deadline:
        return "wall"
    below = process_tree.descendants(os.getpid())
    if tiers.QUOTA in tiers.LAYERS[job.tier]:
        sockets = process_tree.sockets_in_network(below[0]) if below else 0
    else:
        largest, room = (mib * 2**20 for mib in (job.limits.file_mib, job.limits.scratch_mib))
        held = process_tree.held(below, scratch, largest)
        sockets = held.sockets
        if held.nameless + process_tree.folder_bytes(scratch, room) > room:
            return "disk"
    if process_tree.threads(below) > job.limits.processes:
        return "processes"  # of root, whose the kernel does not count
    if len(below) > 1 and process_tree.activity(os.getpid()).cpu_seconds > job.limits.cpu_seconds:
        return "cpu"  # one without children is bounded by its own RLIMIT_CPU
    allowed = process_tree.resident(os.getpid()) + job.limits.memory_mib * 2**20
    return "memory" if process_tree.memory_bytes(below, sockets, allowed) > allowed else ""


def _send(status: socket.socket, report: dict[str, object]) -> None:
    status.settimeout(SEND_SECONDS)
    with contextlib.suppress(OSError):  # the judge is gone, or no longer reads
        status.sendall(json.dumps(report, ensure_ascii=False).encode() + b"\n")
