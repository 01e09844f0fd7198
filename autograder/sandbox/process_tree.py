"""A worker and all that it started: found, weighed, ended."""

from __future__ import annotations

import contextlib
import os
import signal
import time
from pathlib import Path

PAGE = os.sysconf("SC_PAGE_SIZE")


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
