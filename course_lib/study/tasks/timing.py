"""The clock of a trial, and the highest memory it needed."""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path

import torch

RESET_PEAK = "5"  # Linux, proc(5): the highest resident size starts again from the present one


def synchronized_clock(device: torch.device) -> Callable[[], float]:
    """Seconds of wall clock; on a GPU, once it has done what it was given."""
    if device.type != "cuda":
        return time.perf_counter

    def clock() -> float:
        torch.cuda.synchronize(device)
        return time.perf_counter()

    return clock


class PeakMemory:
    """The highest memory of a trial, in MiB, and `of`: what it is the memory of.

    On a GPU the tensors that torch has allocated; on Linux the resident memory of the whole
    process, Python and data included. Elsewhere `mib` is None.
    """

    def __init__(self, device: torch.device) -> None:
        self.cuda = device.type == "cuda"
        self.of = "tensors on the GPU" if self.cuda else "resident memory of the process"
        if self.cuda:
            torch.cuda.reset_peak_memory_stats()
        else:
            try:
                Path("/proc/self/clear_refs").write_text(RESET_PEAK)
            except OSError:
                self.of = "not measured on this system"

    @property
    def mib(self) -> float | None:
        if self.cuda:
            return torch.cuda.max_memory_allocated() / 2**20
        if self.of.startswith("not"):
            return None
        status = Path("/proc/self/status").read_text(encoding="ascii").splitlines()
        (line,) = (line for line in status if line.startswith("VmHWM:"))
        return int(line.split()[1]) / 1024
