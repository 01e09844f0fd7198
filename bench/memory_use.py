"""How much memory a training step takes: on the GPU what torch allocated, else what Linux counted.

before = begin()
train()
spent = peak() - before
"""

from __future__ import annotations

import multiprocessing
from collections.abc import Callable
from contextlib import nullcontext
from pathlib import Path
from typing import Any, TypeVar

import torch
from torch import Tensor, nn

from bench.memory_cases import Case
from course_lib.training.recompute import recomputed

Result = TypeVar("Result")
STATUS = Path("/proc/self/status")
RESET = Path("/proc/self/clear_refs")


def begin() -> int:
    """Bytes in use now; from here on, the peak is counted anew."""
    if torch.cuda.is_available():
        torch.cuda.reset_peak_memory_stats()
        return torch.cuda.memory_allocated()
    RESET.write_text("5")
    return _status("VmRSS")


def peak() -> int:
    """The most bytes that were in use at once since `begin`."""
    if torch.cuda.is_available():
        return torch.cuda.max_memory_allocated()
    return _status("VmHWM")


def kept(
    model: nn.Module, loss: Callable[..., tuple[Tensor, object]], batch: tuple, case: Case
) -> int:
    """Bytes of the tensors that autograd keeps of a forward pass, parameters aside."""
    device = next(model.parameters()).device
    parameters = {p.untyped_storage().data_ptr() for p in model.parameters()}
    storages: dict[int, int] = {}

    def keep(tensor: Tensor) -> Tensor:
        storage = tensor.untyped_storage()
        if storage.data_ptr() not in parameters:
            storages[storage.data_ptr()] = storage.nbytes()
        return tensor

    with (
        torch.autograd.graph.saved_tensors_hooks(keep, lambda tensor: tensor),
        torch.autocast(device.type, torch.bfloat16, enabled=case.precision == "bf16"),
        recomputed(model) if case.recompute else nullcontext(),
    ):
        value, _ = loss(model.train(), *(tensor.to(device) for tensor in batch))
    value.backward()
    return sum(storages.values())


def in_a_fresh_process(function: Callable[..., Result], *arguments: Any) -> Result:
    """`function(*arguments)` in a process forked from one that has imported, and done nothing."""
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload([function.__module__, "accelerate", "torch._dynamo"])
    with context.Pool(1) as pool:
        return pool.apply(function, arguments)


def _status(name: str) -> int:
    lines = STATUS.read_text(encoding="utf-8").splitlines()
    (line,) = (line for line in lines if line.startswith(f"{name}:"))
    return 1024 * int(line.split()[1])
