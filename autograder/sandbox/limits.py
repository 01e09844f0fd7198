"""How much a worker may use: the numbers, and the limits of the process that enforce them."""

from __future__ import annotations

import os
import sys
from dataclasses import asdict, dataclass
from pathlib import Path


@dataclass(frozen=True)
class Limits:
    """One worker's share of the machine, for its whole life (a call's limit is the judge's)."""

    cpu_seconds: int = 120
    wall_seconds: int = 3600  # behind it: a busy machine costs nobody a point
    memory_mib: int = 1024  # on top of what the warm process holds already
    scratch_mib: int = 64
    file_mib: int = 32
    processes: int = 64  # threads count
    open_files: int = 128
    output_kib: int = 16  # kept of each of stdout and stderr

    def as_json(self) -> dict[str, int]:
        return asdict(self)


def impose(limits: Limits, uid: int, others: int) -> str:
    """Set this process's limits, inherited by all that it starts; says which.

    `others` is the number of processes that run under `uid` already, because the kernel counts a
    uid's processes and not a parent's (and root's not at all). The limit of memory is one of
    private data: torch reserves addresses that it never touches, so the size of the address space
    says nothing.
    """
    import resource  # not on Windows, where the judge still imports `Limits`

    data = _data_bytes() + limits.memory_mib * 2**20
    wanted = {
        "CPU": (limits.cpu_seconds, limits.cpu_seconds + 1),
        "DATA": (data, data),
        "FSIZE": (limits.file_mib * 2**20,) * 2,
        "NOFILE": (limits.open_files,) * 2,
        "NPROC": (limits.processes + others,) * 2,
        "CORE": (0, 0),
    }
    for name, (soft, hard) in wanted.items():
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
    """How many threads run under `uid` now; 0 where /proc does not say."""
    count = 0
    for entry in Path("/proc").glob("[0-9]*") if sys.platform == "linux" else ():
        try:
            if entry.stat().st_uid == uid:
                count += len(os.listdir(entry / "task"))
        except OSError:
            continue  # it ended meanwhile
    return count


def _data_bytes() -> int:
    """Private writable memory of this process, in bytes; half a GiB where nothing tells."""
    try:
        lines = Path("/proc/self/status").read_text().splitlines()
    except OSError:
        return 512 * 2**20
    kib = next(int(line.split()[1]) for line in lines if line.startswith("VmData:"))
    return kib * 1024
