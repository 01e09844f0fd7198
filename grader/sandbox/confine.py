"""Applies a tier's isolation layers, in the warm process, the supervisor and the worker.

The warm process builds the view once, a supervisor opens namespaces for its worker, and the worker
applies the remaining layers to itself before any student code runs.
"""

import os
import signal
import sys
import sysconfig
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from . import limits, linux, readable_files, system_calls, tiers
from .limits import Limits
from .readable_files import DEVICES, Readable
from .tiers import LANDLOCK, LIMITS, NAMESPACES, QUOTA, SECCOMP, UID, VIEW, LayerFailed

# Files of /proc that reveal nothing about other processes; all of /proc only in a pid namespace.
_HARMLESS_PROC = ("/proc/cpuinfo", "/proc/meminfo", "/proc/stat")
# Counters of the whole machine, which tell what others have read; replaced by nothing.
_COUNTERS = """
    vmstat diskstats zoneinfo buddyinfo pagetypeinfo interrupts softirqs schedstat loadavg
    pressure/io pressure/memory pressure/cpu
""".split()
_INNER_USER = 1000  # uid of a tier B worker inside its user namespace


def prepare(tier: str, readable: Readable) -> None:
    """Set up private mounts and the view; called once in the single-threaded warm process."""
    if VIEW in tiers.LAYERS[tier]:
        flags = linux.NEWNS
        _step(NAMESPACES, _unshare_as, os.getuid(), flags, tier == "B")
        _step(VIEW, readable_files.enter_view, readable)


def separate(tier: str) -> None:
    """Open namespaces in the supervisor; the process it forks next is the first one in them."""
    if sys.platform == "linux":
        linux.prctl(linux.SUBREAPER, 1)  # orphans go to the supervisor, which kills them
    if NAMESPACES in tiers.LAYERS[tier]:
        flags = linux.NEWPID | linux.NEWNET | linux.NEWIPC | linux.NEWUTS
        _step(NAMESPACES, _unshare_as, _INNER_USER, flags, tier == "B")


def confine(
    tier: str, grants: Sequence[str], allowed: Limits, uid: int | None, scratch: str
) -> dict[str, str]:
    """Apply the remaining layers in the worker; returns a description of each layer.

    Their order matters. `scratch` is the only folder that stays writable. Raises LayerFailed.
    """
    layers = tiers.LAYERS[tier]
    done: dict[str, str] = {}
    if NAMESPACES in layers:
        done |= {NAMESPACES: "pid, net, ipc, uts, mount", VIEW: "a root with readable paths only"}
        done[QUOTA] = _step(QUOTA, _own_mounts, allowed, _INNER_USER if tier == "B" else uid)
    if sys.platform == "linux":  # if the machine runs out of memory, kill workers first
        _step(LIMITS, Path("/proc/self/oom_score_adj").write_text, "1000")
    inside = NAMESPACES in layers  # then the kernel counts only this worker's processes
    user = os.getuid() if uid is None else uid
    sharing = 0 if uid is not None or inside else limits.processes_of(user)
    done[LIMITS] = _step(LIMITS, limits.impose, allowed, user, sharing)
    if sys.platform != "linux":
        return done
    linux.prctl(linux.NO_NEW_PRIVS, 1)
    if LANDLOCK in layers:
        shared_memory = [readable_files.SHARED_MEMORY] if QUOTA in layers else []
        proc = ["/proc"] if inside else [os.path.realpath("/proc/self"), *_HARMLESS_PROC]
        done[LANDLOCK] = _step(
            LANDLOCK,
            linux.restrict_paths,
            [*grants, *DEVICES, *proc],
            [scratch, *shared_memory, "/dev/null"],
        )
    if uid is not None:
        done[UID] = _step(UID, _become, uid)
    if tier != "D":
        linux.drop_capabilities()
    linux.prctl(linux.PDEATHSIG, signal.SIGKILL)  # a change of uid would have cleared it
    if SECCOMP in layers:
        done[SECCOMP] = _step(SECCOMP, system_calls.load, inside)
    return done


def takes_own_uid(tier: str) -> bool:
    """Whether each worker runs under its own uid.

    In tier C only root does that, and only if other users can read the interpreter.
    """
    if os.name != "posix" or os.getuid() != 0:
        return False
    return UID in tiers.LAYERS[tier] or (tier == "C" and _open_to_all())


def _step(layer: str, step: Callable[..., Any], *arguments: object) -> Any:
    try:
        return step(*arguments)
    except (OSError, ImportError, ValueError, RuntimeError) as error:
        raise LayerFailed(layer, str(error)) from None


def _unshare_as(inner_user: int, flags: int, user_namespace: bool) -> None:
    """Open namespaces, inside a user namespace (as `inner_user`) if there are no privileges."""
    if not user_namespace:
        linux.unshare(flags)
        return
    user, group = os.getuid(), os.getgid()
    linux.unshare(flags | linux.NEWUSER)
    Path("/proc/self/setgroups").write_text("deny")
    Path("/proc/self/uid_map").write_text(f"{inner_user} {user} 1")
    Path("/proc/self/gid_map").write_text(f"{inner_user} {group} 1")


def _own_mounts(allowed: Limits, owner: int) -> str:
    """Mount a /proc that shows only this worker, and two writable folders of bounded size."""
    linux.unshare(linux.NEWNS)  # otherwise the supervisor would lose its own /proc
    linux.mount("proc", "/proc", "proc", linux.NOSUID | linux.NODEV | linux.NOEXEC)
    for name in _COUNTERS:
        if os.path.exists(f"/proc/{name}"):
            linux.mount("/dev/null", f"/proc/{name}", flags=linux.BIND)
    size = f"size={allowed.scratch_mib}m,nr_inodes=4096,uid={owner},gid={owner},mode=0700"
    for folder in (readable_files.SCRATCH, readable_files.SHARED_MEMORY):
        linux.mount("tmpfs", folder, "tmpfs", linux.NOSUID | linux.NODEV, size)
    return f"tmpfs of {allowed.scratch_mib} MiB, /dev/shm likewise"


def _become(uid: int) -> str:
    os.setgroups([])
    os.setresgid(uid, uid, uid)
    os.setresuid(uid, uid, uid)
    return "its own uid"


def _open_to_all() -> bool:
    stdlib = Path(os.path.realpath(sysconfig.get_path("stdlib")))
    return all(folder.stat().st_mode & 0o001 for folder in (stdlib, *stdlib.parents))
