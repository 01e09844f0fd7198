"""Finds, measures and kills a worker and every process it started."""

import contextlib
import os
import signal
import time
from dataclasses import dataclass
from pathlib import Path

PAGE = os.sysconf("SC_PAGE_SIZE")
TICKS = os.sysconf("SC_CLK_TCK")  # a second
SOCKET = 2**18  # bytes that the kernel lets wait in one, unless its owner asks for more
BLOCK = 4096  # bytes of disk that a file takes at least, if only for its name


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


def memory_bytes(pids: list[int], sockets: int, enough: int) -> int:
    """Memory of these processes together, in bytes: private pages, page tables, socket buffers.

    A quick sum counts a page shared by forked processes once for each of them. Only if it exceeds
    `enough` are shared pages split between them, which takes milliseconds.
    """
    quick = sum(resident(pid) for pid in pids)
    kernel = sockets * SOCKET + sum(_kib(pid, "status", "VmPTE:") for pid in pids)
    if quick + kernel > enough:
        quick = sum(_kib(pid, "smaps_rollup", "Pss_Anon:") for pid in pids)
    return quick + kernel


@dataclass(frozen=True)
class Held:
    """Things that open descriptors and mappings keep, and that no folder and no page shows."""

    sockets: int
    nameless: int  # bytes of files that were deleted but are still open


def held(pids: list[int], folder: str, largest: int) -> Held:
    """Held by these processes; a mapping may keep a whole file of `largest` bytes in `folder`."""
    sockets, files = set[str](), dict[int, int]()
    for pid in pids:
        with contextlib.suppress(OSError):  # it has ended meanwhile
            for entry in os.scandir(f"/proc/{pid}/fd"):
                with contextlib.suppress(OSError):
                    target = os.readlink(entry.path)
                    if target.startswith("socket:"):
                        sockets.add(target)
                    elif target.endswith(" (deleted)"):
                        status = os.stat(entry.path)
                        files[status.st_ino] = status.st_blocks * 512
            for line in Path(f"/proc/{pid}/maps").read_text(errors="replace").splitlines():
                if line.endswith(" (deleted)") and folder in line:
                    files.setdefault(int(line.split()[4]), largest)
    return Held(len(sockets), sum(files.values()))


def folder_bytes(folder: str, enough: int) -> int:
    """Disk space that files and folders beneath `folder` take, or more than `enough`.

    A folder that cannot be listed (its path is too long, or it has no rights) hides what is in it,
    so it counts as too much.
    """
    total, waiting = 0, [folder]
    while waiting and total <= enough:
        try:
            for entry in os.scandir(waiting.pop()):
                with contextlib.suppress(FileNotFoundError):
                    total += max(entry.stat(follow_symlinks=False).st_blocks * 512, BLOCK)
                    waiting += [entry.path] if entry.is_dir(follow_symlinks=False) else []
                if total > enough:
                    break
        except (FileNotFoundError, NotADirectoryError):
            continue  # it was deleted meanwhile
        except OSError:
            return enough + 1
    return total


def remove(folder: str) -> None:
    """Delete a folder whose processes have ended, however deep it is and whatever its rights."""
    waiting = [folder]
    for number, path in enumerate(waiting):  # which grows
        with contextlib.suppress(OSError):
            os.chmod(path, 0o700)
            for entry in list(os.scandir(path)):
                if entry.is_dir(follow_symlinks=False):
                    os.chmod(entry.path, 0o700)  # needed to move it
                    waiting.append(f"{folder}.{number}.{len(waiting)}")
                    os.rename(entry.path, waiting[-1])  # so no path gets long
                else:
                    os.unlink(entry.path)
            os.rmdir(path)


def threads(pids: list[int]) -> int:
    """How many threads these processes have."""
    count = 0
    for pid in pids:
        with contextlib.suppress(OSError):
            count += len(os.listdir(f"/proc/{pid}/task"))
    return count


def sockets_in_network(pid: int) -> int:
    """How many sockets there are in the network of a process, also those that nobody accepts."""
    with contextlib.suppress(OSError, ValueError):
        return int(Path(f"/proc/{pid}/net/sockstat").read_text().split()[2])
    return 0


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


def resident(pid: int) -> int:
    """Pages of a process that are no file's, in bytes, those shared with its parent included."""
    try:
        _, pages, shared, *_ = Path(f"/proc/{pid}/statm").read_text().split()
    except (OSError, ValueError):
        return 0
    return (int(pages) - int(shared)) * PAGE


def _kib(pid: int, file: str, field: str) -> int:
    """The sum of a field in a file of a process, in bytes; 0 if it has ended."""
    try:
        lines = Path(f"/proc/{pid}/{file}").read_text().splitlines()
    except OSError:
        return 0
    return sum(int(line.split()[1]) * 1024 for line in lines if line.startswith(field))
