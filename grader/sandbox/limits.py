"""How much a worker may use, and the resource limits that enforce it."""

import os
import sys
from dataclasses import asdict, dataclass
from pathlib import Path

ADDRESS_SPACE = 16 * 2**30  # bytes beyond what the warm process has mapped


@dataclass(frozen=True)
class Limits:
    """Limits for a worker's whole lifetime (the judge sets the deadline of each call)."""

    cpu_seconds: int = 120
    wall_seconds: int = 3600  # a backstop, long enough that a busy machine costs nobody a point
    memory_mib: int = 1024  # on top of what the warm process already uses
    scratch_mib: int = 64
    file_mib: int = 32
    processes: int = 64  # including threads
    open_files: int = 128
    output_kib: int = 16  # kept from each of stdout and stderr

    def as_json(self) -> dict[str, int]:
        return asdict(self)


def impose(limits: Limits, uid: int, others: int) -> str:
    """Set resource limits on this process and its children; returns a summary of them.

    `others` is the number of processes already running under `uid`: the kernel counts processes
    per uid, not per parent (and does not count root's at all). Memory is limited by RLIMIT_DATA.
    RLIMIT_AS has room, because torch reserves address space that it never uses; it bounds the page
    tables, for which a worker pays with reads alone.
    """
    import resource  # not on Windows, where the judge still imports `Limits`

    data = status_bytes("VmData") + limits.memory_mib * 2**20
    values = {
        "CPU": (limits.cpu_seconds, limits.cpu_seconds + 1),
        "DATA": (data, data),
        "FSIZE": (limits.file_mib * 2**20,) * 2,
        "NOFILE": (limits.open_files,) * 2,
        "NPROC": (limits.processes + others,) * 2,
        "CORE": (0, 0),
    }
    if sys.platform == "linux":
        values["AS"] = (status_bytes("VmSize") + ADDRESS_SPACE,) * 2
    for name, (soft, hard) in values.items():
        kind = getattr(resource, f"RLIMIT_{name}")
        ceiling = resource.getrlimit(kind)[1]
        if ceiling != resource.RLIM_INFINITY:
            soft, hard = min(soft, ceiling), min(hard, ceiling)
        resource.setrlimit(kind, (soft, hard))
    processes = limits.processes if uid else "unlimited (root)"
    return (
        f"cpu {limits.cpu_seconds} s, data +{limits.memory_mib} MiB, files {limits.file_mib} MiB, "
        f"processes {processes}"
    )


def processes_of(uid: int) -> int:
    """How many threads run under `uid` now; 0 without /proc."""
    count = 0
    for entry in Path("/proc").glob("[0-9]*") if sys.platform == "linux" else ():
        try:
            if entry.stat().st_uid == uid:
                count += len(os.listdir(entry / "task"))
        except OSError:
            continue  # it has ended meanwhile
    return count


def status_bytes(field: str) -> int:
    """A size of this process in bytes, by its name in /proc; half a GiB without /proc."""
    try:
        lines = Path("/proc/self/status").read_text().splitlines()
    except OSError:
        return 512 * 2**20
    return next(int(line.split()[1]) for line in lines if line.startswith(f"{field}:")) * 1024
