"""How much memory a training step keeps, and in which process to measure it."""

import multiprocessing
from collections.abc import Callable
from typing import Any, TypeVar

import torch
from torch import Tensor, nn

from course_lib.training.long_trainings.peak_memory import RESET
from grader.cli.output import UsageProblem

Result = TypeVar("Result")


def check() -> None:
    """Raise UsageProblem on a machine that does not count a process's memory."""
    if not torch.cuda.is_available() and not RESET.exists():
        raise UsageProblem(f"memory is counted by {RESET} or on a GPU: run this on Linux")


def device() -> torch.device:
    """Where the benches of memory train."""
    return torch.device("cuda" if torch.cuda.is_available() else "cpu")


def saved_bytes(model: nn.Module, loss: Callable[..., tuple[Tensor, object]], batch: tuple) -> int:
    """Bytes of the tensors that autograd keeps of a forward pass in training, parameters aside.

    They are counted, and the same on every machine of a kind. Call it within `autocast` and
    `recomputed` to see what these leave.
    """
    device = next(model.parameters()).device
    parameters = {p.untyped_storage().data_ptr() for p in model.parameters()}
    storages: dict[int, torch.UntypedStorage] = {}

    def keep(tensor: Tensor) -> Tensor:
        storage = tensor.untyped_storage()
        storages[storage.data_ptr()] = storage  # held, so that no address is used again
        return tensor

    with torch.autograd.graph.saved_tensors_hooks(keep, lambda tensor: tensor):
        loss(model.train(), *(tensor.to(device) for tensor in batch))
    return sum(one.nbytes() for at, one in storages.items() if at not in parameters)


def in_a_fresh_process(function: Callable[..., Result], *arguments: Any) -> Result:
    """`function(*arguments)` in a process forked from one that has imported, and done nothing."""
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload([function.__module__, "accelerate", "torch._dynamo"])
    with context.Pool(1) as pool:
        return pool.apply(function, arguments)
