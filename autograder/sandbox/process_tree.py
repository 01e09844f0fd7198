"""A worker and all that it started: found, weighed, ended."""

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
    """Every living process below `pid`; none where the kernel does not list children."""
    found: list[int] = []
    waiting = [pid]
    while waiting:
        tasks = Path(f"/proc/{waiting.pop()}/task")
        try:
            lists = [(task / "children").read_text() for task in tasks.iterdir()]
        except OSError:
            continue  # it ended meanwhile, or this is no Linux
        children = [int(number) for text in lists for number in text.split()]
        found += children
        waiting += children
    return found


@dataclass(frozen=True)
class Activity:
    """What processes have computed so far, in CPU seconds, and whether one of them still wants to.

    A process that waits for a processor, or for a disk, is awake: only sleeping is its own choice.
    """

    cpu_seconds: float
    awake: bool


def activity(pid: int) -> Activity:
    """Of all processes below `pid`, those that have ended and were waited for included."""
    seconds, awake = 0.0, False
    for process in descendants(pid):
        try:
            _, *times = _stat(f"/proc/{process}/stat")
            seconds += sum(times) / TICKS
            tasks = os.listdir(f"/proc/{process}/task")
            awake = awake or any(_stat(f"/proc/{process}/task/{t}/stat")[0] for t in tasks)
        except OSError:
            continue  # it ended meanwhile
    return Activity(seconds, awake)


def folder_bytes(folder: str) -> int:
    """What the files beneath `folder` take on the disk."""
    total = 0
    for place, _, names in os.walk(folder):
        for name in names:
            with contextlib.suppress(OSError):
                total += os.lstat(os.path.join(place, name)).st_blocks * 512
    return total


def memory_bytes(pids: list[int], enough: int) -> int:
    """Private memory of these processes together.

    A first sum counts a page that forked processes share once for each of them; only when it
    passes `enough` are shared pages shared out, which takes milliseconds.
    """
    quick = sum(_resident(pid) for pid in pids)
    return quick if quick <= enough else sum(_proportional(pid) for pid in pids)


def end_all(pid: int) -> None:
    """Kill everything below `pid`, this process, until nothing is left, and reap it."""
    while children := descendants(pid):
        for child in children:
            try:
                os.kill(child, signal.SIGKILL)
            except ProcessLookupError:
                continue
        time.sleep(0.001)
        reap()
    reap()


def reap() -> None:
    """Collect every child that has ended."""
    try:
        while os.waitpid(-1, os.WNOHANG)[0]:
            pass
    except ChildProcessError:
        pass


def oom_kills() -> int:
    """How often the kernel has ended a process for want of memory since it started."""
    try:
        lines = Path("/proc/vmstat").read_text().splitlines()
    except OSError:
        return 0
    return sum(int(line.split()[1]) for line in lines if line.startswith("oom_kill "))


def _stat(path: str) -> tuple[bool, int, int, int, int]:
    """Awake or not, and CPU ticks: its own, the kernel's for it, and both of waited-for children.

    See proc_pid_stat(5); the name before the state is the process's own choice, brackets and all.
    """
    fields = Path(path).read_bytes().rpartition(b")")[2].split()
    user, kernel, childrens_user, childrens_kernel = map(int, fields[11:15])
    return fields[0] in (b"R", b"D"), user, kernel, childrens_user, childrens_kernel


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
