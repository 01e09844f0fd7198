"""The most memory that this process takes from some moment on."""

from pathlib import Path

import torch

STATUS, RESET = Path("/proc/self/status"), Path("/proc/self/clear_refs")
RESET_PEAK = "5"  # Linux, proc(5): the highest resident size starts again from the present one


class PeakMemory:
    """The most memory in use since this was made, and `of`: what it is the memory of.

    On a GPU the tensors that torch has allocated; on Linux the resident memory of the whole
    process, Python and data included. Elsewhere `mib` is None, and `added` raises OSError.
    """

    def __init__(self, device: torch.device) -> None:
        self.cuda = device.type == "cuda"
        self.of = "tensors on the GPU" if self.cuda else "resident memory of the process"
        if self.cuda:
            torch.cuda.reset_peak_memory_stats()
        else:
            try:
                RESET.write_text(RESET_PEAK)
            except OSError:
                self.of = "not measured on this system"
        self.before = self._now() if self.is_measured else 0

    @property
    def is_measured(self) -> bool:
        return not self.of.startswith("not")

    @property
    def mib(self) -> float | None:
        return self._most() / 2**20 if self.is_measured else None

    @property
    def added(self) -> int:
        """Bytes beyond those in use at the start."""
        return self._most() - self.before

    def _now(self) -> int:
        return torch.cuda.memory_allocated() if self.cuda else _status("VmRSS")

    def _most(self) -> int:
        return torch.cuda.max_memory_allocated() if self.cuda else _status("VmHWM")


def _status(name: str) -> int:
    """Bytes that Linux has counted."""
    lines = STATUS.read_text(encoding="ascii").splitlines()
    (line,) = (line for line in lines if line.startswith(f"{name}:"))
    return 1024 * int(line.split()[1])
