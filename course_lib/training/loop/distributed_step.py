"""One optimizer step on a group of batches, on any device and number of processes (Accelerate).

This is what differs from training on one batch: moving tensors to the device, weighting the losses,
accumulating gradients, and checking them before they are used.
"""

import math
import os
from collections.abc import Callable, Iterable
from typing import Any

import torch
from torch import Tensor, nn

from .batch_groups import Batch, on_device, shares

Row = dict[str, float]
OF_THE_STEP = ("gradient_norm", "learning_rate")  # everything else is averaged over the batches


class DivergedError(Exception):
    """The loss or the gradient is not finite."""


def accelerator(accumulate: int, mixed_precision: str) -> Any:
    """A fresh `Accelerator`, without the state of an earlier training in this process."""
    from accelerate import Accelerator
    from accelerate.state import AcceleratorState, GradientState
    from accelerate.utils import DataLoaderConfiguration, GradientAccumulationPlugin

    AcceleratorState._reset_state()  # else a second training could not choose its own precision
    GradientState._reset_state()
    several = int(os.environ.get("WORLD_SIZE", "1")) > 1
    return Accelerator(
        cpu=several
        and not torch.cuda.is_available(),  # else each process assumes it is the only one
        mixed_precision=_best_precision() if mixed_precision == "auto" else mixed_precision,
        gradient_accumulation_plugin=GradientAccumulationPlugin(
            num_steps=accumulate, adjust_scheduler=False, sync_with_dataloader=False
        ),
        # One schedule step per optimizer step, for any number of processes.
        dataloader_config=DataLoaderConfiguration(split_batches=True),
    )


def _best_precision() -> str:
    """bf16 on a GPU that supports it, fp16 on an older one; none on a CPU: both are slower."""
    if not torch.cuda.is_available():
        return "no"
    return "bf16" if torch.cuda.get_device_capability()[0] >= 8 else "fp16"


class GroupStep:
    """Trains a model on groups of batches by calling `step` on each batch.

    The gradient is that of the mean loss over all examples of the group, whatever the sizes of its
    batches and however they are distributed over processes.
    """

    def __init__(
        self,
        accelerator: Any,
        model: nn.Module,
        step: Callable[..., Row],
        optimizer: torch.optim.Optimizer,
        schedule: Any,
        **settings: float,
    ) -> None:
        self.accelerator, self.step, self.settings = accelerator, step, settings
        self.model, self.optimizer, self.schedule = accelerator.prepare(model, optimizer, schedule)
        self._weight, self._losses = 1.0, list[Tensor]()

    def __call__(self, group: list[Batch]) -> Row:
        """Train on a group; returns the row of the step. Raises DivergedError."""
        rank, world_size = self.accelerator.process_index, self.accelerator.num_processes
        mine = list(zip(group, shares(group), strict=True))[rank::world_size]
        rows = []
        self._losses.clear()
        for batch, share in mine:
            self._weight = share * len(group)
            with self.accelerator.accumulate(self.model):
                rows.append(self._on_batch(on_device(batch, self.accelerator.device)))
        row = self._mean(rows, [share for _, share in mine])
        self._check(row["loss"], row.get("gradient_norm", 0.0))
        return row

    def _on_batch(self, batch: Iterable[Tensor]) -> Row:
        parts = (self.optimizer, self.schedule)
        tools = {"backward": self._backward, "clip": self._clip}
        return self.step(self.model, *batch, *parts, **self.settings, **tools)

    def _backward(self, loss: Tensor) -> None:
        """Add the gradient of this batch's part of the group's mean loss."""
        self._losses.append(loss.detach())
        self.accelerator.backward(loss * self._weight)

    def _clip(self, parameters: Iterable[Tensor], max_norm: float) -> Tensor:
        """Clip the gradients and return their norm; 0 while they are still being accumulated.

        The loss and the norm are checked here, before the optimizer changes the weights.
        """
        if not self.accelerator.sync_gradients:
            return torch.zeros(())
        norm = self.accelerator.clip_grad_norm_(parameters, max_norm)
        self._check(float(sum(self._losses)), float(norm))
        return norm

    def _check(self, loss: float, norm: float) -> None:
        """Raise DivergedError for a loss or norm that is NaN or infinite."""
        # In fp16 an infinite gradient is expected while the loss scale adapts: the step is skipped.
        usable = math.isfinite(norm) or self.accelerator.scaler is not None
        if not (math.isfinite(loss) and usable):
            rate = self.optimizer.param_groups[0]["lr"]
            raise DivergedError(
                f"loss {loss:.4g}, learning rate {rate:.4g}, gradient norm {norm:.4g}: the "
                "training diverged; try a lower learning rate or a longer warm-up, and look for "
                "a division by zero or a row of weights with every key masked"
            )

    def _mean(self, rows: list[Row], weights: list[float]) -> Row:
        """The weighted mean of the batches' rows, over all processes."""
        names = [name for name in rows[0] if name not in OF_THE_STEP]
        sums = [sum(w * row[n] for w, row in zip(weights, rows, strict=True)) for n in names]
        if self.accelerator.num_processes > 1:
            device = self.accelerator.device
            mine = torch.tensor(sums, dtype=torch.float64, device=device)
            sums = self.accelerator.reduce(mine, "sum").tolist()
        means = dict(zip(names, sums, strict=True))
        return means | {name: rows[-1][name] for name in OF_THE_STEP if name in rows[-1]}
