"""The machine that `fit` trains on: processes that share every group of batches, and precision.

One optimizer step trains on a group, however it is split: two processes with one batch each take
the same steps as one process that accumulates two. Accelerate starts and joins the processes;
mixed precision is torch's, since Accelerate's cannot change within a Python process.
"""

import math
import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from itertools import cycle, islice
from typing import Any

import torch
from torch import Tensor, nn

Batch = Any  # a tuple of tensors, with the examples along their first axis
OF_THE_STEP = ("gradient_norm", "learning_rate")  # everything else is averaged over the batches
PRECISIONS = {"no": None, "bf16": torch.bfloat16, "fp16": torch.float16}
SHORT = {"no": (torch.float16, torch.bfloat16), "bf16": (torch.bfloat16,), "fp16": ()}  # weights


class Machine:
    """Device, processes and precision; `mixed_precision` is a key of PRECISIONS, or "auto".

    Raises ValueError for another one.
    """

    def __init__(self, mixed_precision: str = "auto") -> None:
        from accelerate import Accelerator

        several = int(os.environ.get("WORLD_SIZE", "1")) > 1
        self.accelerator = Accelerator(
            cpu=several
            and not torch.cuda.is_available(),  # else each process assumes it is the only one
            mixed_precision="no",
        )
        self.rank, self.size = self.accelerator.process_index, self.accelerator.num_processes
        self.is_main: bool = self.accelerator.is_main_process
        self.wait: Callable[[], None] = self.accelerator.wait_for_everyone
        self.device: torch.device = self.accelerator.device
        name = _best_precision() if mixed_precision == "auto" else mixed_precision
        if name not in PRECISIONS:
            known = ", ".join(map(repr, ("auto", *PRECISIONS)))
            raise ValueError(f"mixed_precision = {name!r}: choose one of {known}")
        self.precision, self.short = PRECISIONS[name], SHORT[name]
        self.skipped = 0  # steps in a row that an infinite gradient of fp16 left out
        self.scaler = torch.amp.GradScaler(self.device.type, enabled=name == "fp16")

    def prepare(self, model: nn.Module) -> nn.Module:
        """The model on this device, wrapped where processes share its gradients.

        Raises ValueError for weights of fewer than 32 bits that this precision cannot train.
        """
        for name, weight in model.named_parameters():
            if weight.dtype.itemsize < 4 and weight.dtype not in self.short:
                precision = next(key for key, kind in PRECISIONS.items() if kind is self.precision)
                raise ValueError(
                    f"{name} is {weight.dtype}, which mixed_precision = {precision!r} cannot "
                    "train: call model.float() first; mixed precision itself computes in 16 bits"
                )
        prepared: nn.Module = self.accelerator.prepare(model)
        return prepared

    def autocast(self) -> AbstractContextManager[Any]:
        """Mixed precision, if it is wanted, for the forward pass within the context."""
        return torch.autocast(self.device.type, self.precision) if self.precision else nullcontext()

    def own(
        self, group: list[Batch], count: Callable[[Batch], int]
    ) -> list[tuple[tuple[Tensor, ...], float]]:
        """This process's batches of a group, on its device, each with the weight of its loss.

        The sum of the weighted losses, averaged over processes, is the mean loss of the group:
        `count(batch)` is the number of terms that a batch's own mean has.
        """
        mine = list(zip(group, shares(group, count), strict=True))[self.rank :: self.size]
        return [(self._here(batch), share * self.size) for batch, share in mine]

    def accumulating(self, model: nn.Module) -> AbstractContextManager[Any]:
        """Within the context gradients are added up, and not exchanged among the processes."""
        return self.accelerator.no_sync(model)

    def clip(
        self, parameters: Iterable[Tensor], max_norm: float, optimizer: torch.optim.Optimizer
    ) -> float:
        """Clip the gradients; returns their norm before.

        In fp16 an infinite gradient is expected while the scale of the loss adapts: it is cleared,
        so that the optimizer's next step changes nothing.
        """
        self.scaler.unscale_(optimizer)
        norm = float(nn.utils.clip_grad_norm_(parameters, max_norm))
        if self.scaler.is_enabled():
            self.scaler.update()
            self.skipped = 0 if math.isfinite(norm) else self.skipped + 1
            if self.skipped:
                optimizer.zero_grad()
        return norm

    def backward(self, loss: Tensor) -> None:
        """Add the gradients of a loss, scaled for fp16."""
        with torch.autocast(self.device.type, enabled=False):  # not for the backward pass
            self.scaler.scale(loss).backward()

    def broadcast(self, value: Any) -> Any:
        """The value of the main process."""
        from accelerate.utils import broadcast_object_list

        return broadcast_object_list([value])[0]

    def mean(self, rows: Sequence[Mapping[str, float]], weights: list[float]) -> dict[str, float]:
        """The weighted mean of the rows of this process's batches, over all processes."""
        names = [name for name in rows[0] if name not in OF_THE_STEP]
        sums = [sum(w * row[n] for w, row in zip(weights, rows, strict=True)) for n in names]
        if self.size > 1:
            mine = torch.tensor(sums, dtype=torch.float64, device=self.device)
            sums = self.accelerator.reduce(mine, "mean").tolist()
        means = dict(zip(names, sums, strict=True))
        return means | {name: rows[-1][name] for name in OF_THE_STEP if name in rows[-1]}

    def _here(self, batch: Batch) -> tuple[Tensor, ...]:
        return tuple(tensor.to(self.device, non_blocking=True) for tensor in batch)


def _best_precision() -> str:
    """bf16 on a GPU that supports it, fp16 on an older one; none on a CPU: both are slower."""
    if not torch.cuda.is_available():
        return "no"
    return "bf16" if torch.cuda.get_device_capability()[0] >= 8 else "fp16"


def groups(batches: Iterable[Batch], size: int) -> Iterator[tuple[list[Batch], bool]]:
    """Pairs (group of `size` batches, whether it is the last).

    A last group that is too small is filled up with the first batches, so that every process gets
    its batches. Raises ValueError when there is no batch.
    """
    source = iter(batches)
    first = group = list(islice(source, size))
    if not first:
        raise ValueError("there are no batches to train on")
    while group:
        following = list(islice(source, size))
        filled = [*group, *islice(cycle(first), size - len(group))]
        yield filled, not following
        group = following


def n_examples(batch: Batch) -> int:
    """The number of a batch's examples."""
    return len(batch[0])


def shares(group: list[Batch], count: Callable[[Batch], int] = n_examples) -> list[float]:
    """Each batch's share of what the group has: the weight of its mean in the group's mean."""
    sizes = [count(batch) for batch in group]
    return [size / max(1, sum(sizes)) for size in sizes]


def tokens(group: list[Batch]) -> int:
    """Real tokens of a group: the first tensor of each batch holds ids, padding is 0."""
    return sum(int(batch[0].count_nonzero()) for batch in group)
