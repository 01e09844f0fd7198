"""What a trial trains: a model, its steps and measures; and the clock and memory it takes."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, Protocol

import torch
from torch import nn

from ..space import Configuration

RESET_PEAK = "5"  # Linux, proc(5): the highest resident size starts again from the present one


class Task(Protocol):
    """One learning problem with a fixed budget: every trial takes the same number of steps."""

    measure: str  # what `quality` is
    n_steps: int
    evaluate_every: int  # steps; the last step is always evaluated
    untimed_steps: int  # the first steps, in which memory is allocated and caches fill

    def model(self, configuration: Configuration) -> nn.Module:
        """A new model, its weights drawn from torch's global generator."""

    def training(
        self, model: Any, configuration: Configuration, seed: int
    ) -> Iterator[dict[str, float]]:
        """Each `next` trains one step, on batches in the order of `seed`: `loss` and `tokens`."""

    def validate(self, model: Any) -> dict[str, float]:
        """`quality` (higher is better) and `loss`, on the whole validation split."""

    def test(self, model: Any) -> dict[str, float]:
        """The same on the test split: once, for the configuration that was chosen."""

    def inference(self, model: Any) -> dict[str, float]:
        """`inferences_per_second`: sentences classified or translated."""

    def clock(self) -> float:
        """Seconds, once the device has finished what it was given."""


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
