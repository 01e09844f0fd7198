"""Puts a tier's layers on, step by step, in the three processes that a worker descends from.

The warm process makes the view once, a supervisor opens namespaces for its worker, and the worker
closes everything else behind itself before any line of the student's runs.
"""

from __future__ import annotations

import os
import signal
import sys
import sysconfig
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from . import landlock, limits, linux, syscall_filter, tiers, view
from .limits import Limits
from .readable import DEVICES, Readable
from .tiers import LANDLOCK, LIMITS, NAMESPACES, QUOTA, SECCOMP, UID, VIEW, LayerFailed

# Files of /proc that say nothing about other processes; the whole of it only in a pid namespace.
_HARMLESS_PROC = ("/proc/cpuinfo", "/proc/meminfo", "/proc/stat")
_INNER_USER = 1000  # what a worker of tier B is called inside its user namespace


def prepare(letter: str, readable: Readable) -> None:
    """In the warm process, once, while it has a single thread: its own mounts and the view."""
    if VIEW in tiers.LAYERS[letter]:
        flags = linux.NEWNS
        _step(NAMESPACES, _unshare_as, os.getuid(), flags, letter == "B")
        _step(VIEW, view.enter, readable)


def separate(letter: str) -> None:
    """In the supervisor: what it forks next is the first process of new namespaces."""
    if sys.platform == "linux":
        linux.prctl(linux.SUBREAPER, 1)  # orphans come to the supervisor, which ends them
    if NAMESPACES in tiers.LAYERS[letter]:
        flags = linux.NEWPID | linux.NEWNET | linux.NEWIPC | linux.NEWUTS
        _step(NAMESPACES, _unshare_as, _INNER_USER, flags, letter == "B")


def confine(
    letter: str, grants: Sequence[str], allowed: Limits, uid: int | None, scratch: str
) -> dict[str, str]:
    """In the worker: the rest, in the one order that works; says what each layer does.

    Raises LayerFailed. `scratch` is the only folder that stays writable.
    """
    wanted = tiers.LAYERS[letter]
    done: dict[str, str] = {}
    if NAMESPACES in wanted:
        done |= {NAMESPACES: "pid, net, ipc, uts, mount", VIEW: "a root with what may be read"}
        done[QUOTA] = _step(QUOTA, _own_mounts, allowed, _INNER_USER if letter == "B" else uid)
    if sys.platform == "linux":  # when the machine's memory ends, workers go first
        _step(LIMITS, Path("/proc/self/oom_score_adj").write_text, "1000")
    inside = NAMESPACES in wanted  # then the kernel counts this worker's processes alone
    user = os.getuid() if uid is None else uid
    sharing = 0 if uid is not None or inside else limits.processes_of(user)
    done[LIMITS] = _step(LIMITS, limits.impose, allowed, user, sharing)
    if sys.platform != "linux":
        return done
    linux.prctl(linux.NO_NEW_PRIVS, 1)
    if LANDLOCK in wanted:
        shared_memory = [view.SHARED_MEMORY] if QUOTA in wanted else []
        proc = ["/proc"] if inside else [os.path.realpath("/proc/self"), *_HARMLESS_PROC]
        done[LANDLOCK] = _step(
            LANDLOCK,
            landlock.restrict,
            [*grants, *DEVICES, *proc],
            [scratch, *shared_memory, "/dev/null"],
        )
    if uid is not None:
        done[UID] = _step(UID, _become, uid)
    if letter != "D":
        linux.drop_capabilities()
    linux.prctl(linux.PDEATHSIG, signal.SIGKILL)  # a change of uid would have cleared it
    if SECCOMP in wanted:
        done[SECCOMP] = _step(SECCOMP, syscall_filter.load, inside)
    return done


def takes_own_uid(letter: str) -> bool:
    """Whether workers run as users of their own.

    In tier C only root can do so, and does where another user could still read the interpreter.
    """
    if os.name != "posix" or os.getuid() != 0:
        return False
    return UID in tiers.LAYERS[letter] or (letter == "C" and _open_to_all())


def _step(layer: str, step: Callable[..., Any], *arguments: object) -> Any:
    try:
        return step(*arguments)
    except (OSError, ImportError, ValueError, RuntimeError) as error:
        raise LayerFailed(layer, str(error)) from None


def _unshare_as(inner_user: int, flags: int, user_namespace: bool) -> None:
    """Open namespaces; without privileges, in a user namespace where one is `inner_user`."""
    if not user_namespace:
        linux.unshare(flags)
        return
    user, group = os.getuid(), os.getgid()
    linux.unshare(flags | linux.NEWUSER)
    Path("/proc/self/setgroups").write_text("deny")
    Path("/proc/self/uid_map").write_text(f"{inner_user} {user} 1")
    Path("/proc/self/gid_map").write_text(f"{inner_user} {group} 1")


def _own_mounts(allowed: Limits, owner: int) -> str:
    """A /proc that knows only this worker, and two folders of bounded size to write in."""
    linux.unshare(linux.NEWNS)  # or the supervisor would lose its own /proc
    linux.mount("proc", "/proc", "proc", linux.NOSUID | linux.NODEV | linux.NOEXEC)
    size = f"size={allowed.scratch_mib}m,nr_inodes=4096,uid={owner},gid={owner},mode=0700"
    for place in (view.SCRATCH, view.SHARED_MEMORY):
        linux.mount("tmpfs", place, "tmpfs", linux.NOSUID | linux.NODEV, size)
    return f"tmpfs of {allowed.scratch_mib} MiB, /dev/shm likewise"


def _become(uid: int) -> str:
    os.setgroups([])
    os.setresgid(uid, uid, uid)
    os.setresuid(uid, uid, uid)
    return "a user of its own"


def _open_to_all() -> bool:
    stdlib = Path(os.path.realpath(sysconfig.get_path("stdlib")))
    return all(folder.stat().st_mode & 0o001 for folder in (stdlib, *stdlib.parents))
