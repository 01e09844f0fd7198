"""Finds, measures and kills a worker and every process it started."""

from __future__ import annotations

import contextlib
import os
import signal
import time
from dataclasses import dataclass
from pathlib import Path

PAGE = os.sysconf("SC_PAGE_SIZE")
TICKS = os.sysconf("SC_CLK_TCK")  # a second


def descendants(pid: int) -> list[int]:
    """Every living process below `pid`; none if the kernel does not list children."""
    found: list[int] = []
    waiting = [pid]
    while waiting:
        tasks = Path(f"/proc/{waiting.pop()}/task")
        try:
            lists = [(task / "children").read_text() for task in tasks.iterdir()]
        except OSError:
            continue  # it has ended meanwhile, or this is not Linux
        children = [int(number) for text in lists for number in text.split()]
        found += children
        waiting += children
    return found


@dataclass(frozen=True)
class Activity:
    """CPU seconds that processes have used so far, and whether any of them is still busy.

    A process that waits for a processor or a disk counts as awake: it did not choose to wait. One
    that waits for a child to start a program (vfork) looks as if it waited for a disk, but counts
    as the child does.
    """

    cpu_seconds: float
    awake: bool


def activity(pid: int) -> Activity:
    """Activity of all processes below `pid`, including those that have ended.

    One that has ended stays listed, with its times, until somebody waits for it; from then on the
    kernel counts them for who did. An orphan goes to the nearest sub-reaper above it, or to the
    first process of its namespace. So no time is lost, however seldom somebody looks, unless a
    process that ignores SIGCHLD has children, which the system call filter does not allow (tier D
    has none). Of a process that nobody waited for, up to a clock tick of each kind is not seen.
    """
    seconds, awake = 0.0, False
    for process in (pid, *descendants(pid)):
        try:
            _, *times = _stat(f"/proc/{process}/stat")
            if process == pid:
                seconds += sum(times[2:]) / TICKS  # only of those that it has reaped
                continue
            seconds += sum(times) / TICKS
            tasks = os.listdir(f"/proc/{process}/task")
            awake = awake or any(_is_awake(f"/proc/{process}/task/{task}") for task in tasks)
        except OSError:
            continue  # it ended meanwhile
    return Activity(seconds, awake)


def folder_bytes(folder: str) -> int:
    """Disk space that the files beneath `folder` take."""
    total = 0
    for parent, _, names in os.walk(folder):
        for name in names:
            with contextlib.suppress(OSError):
                total += os.lstat(os.path.join(parent, name)).st_blocks * 512
    return total


def memory_bytes(pids: list[int], enough: int) -> int:
    """Private memory of these processes together, in bytes.

    A quick sum counts a page shared by forked processes once for each of them. Only if it exceeds
    `enough` are shared pages split between them, which takes milliseconds.
    """
    quick = sum(_resident(pid) for pid in pids)
    return quick if quick <= enough else sum(_proportional(pid) for pid in pids)


def end_all(pid: int) -> None:
    """Kill and reap everything below `pid`, which is this process, until nothing is left."""
    while children := descendants(pid):
        for child in children:
            try:
                os.kill(child, signal.SIGKILL)
            except ProcessLookupError:
                continue
        time.sleep(0.001)
        reap()
    reap()


def reap(worker: int = 0) -> int | None:
    """Collect every child that has ended, also adopted ones; the wait status of `worker`, if it."""
    of_worker: int | None = None
    with contextlib.suppress(ChildProcessError):
        while True:
            ended, status = os.waitpid(-1, os.WNOHANG)
            if not ended:
                break
            of_worker = status if ended == worker else of_worker
    return of_worker


def oom_kills() -> int:
    """How many processes the kernel's OOM killer has killed since boot."""
    try:
        lines = Path("/proc/vmstat").read_text().splitlines()
    except OSError:
        return 0
    return sum(int(line.split()[1]) for line in lines if line.startswith("oom_kill "))


def _is_awake(task: str) -> bool:
    state = _stat(f"{task}/stat")[0]
    return state == b"R" or (state == b"D" and not Path(task, "children").read_text())


def _stat(path: str) -> tuple[bytes, int, int, int, int]:
    """Its state, and its CPU ticks: user, system, and both for reaped children.

    See proc_pid_stat(5). A process chooses its own name, which may contain brackets.
    """
    fields = Path(path).read_bytes().rpartition(b")")[2].split()
    user, kernel, childrens_user, childrens_kernel = map(int, fields[11:15])
    return fields[0], user, kernel, childrens_user, childrens_kernel


def _resident(pid: int) -> int:
    try:
        _, resident, shared, *_ = Path(f"/proc/{pid}/statm").read_text().split()
    except (OSError, ValueError):
        return 0
    return (int(resident) - int(shared)) * PAGE


def _proportional(pid: int) -> int:
    try:
        lines = Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines()
    except OSError:
        return 0
    return sum(int(line.split()[1]) * 1024 for line in lines if line.startswith("Pss_Anon:"))
