"""The training loop, without options. `fit` is this loop for long trainings."""

from collections.abc import Callable
from typing import Any

import torch
from torch import nn

Row = dict[str, float]  # what was measured in one step, or on validation data


def train(
    model: nn.Module,
    batches: Any,
    step: Callable[..., Row],
    optimizer: torch.optim.Optimizer,
    schedule: Any,
    epochs: int,
    evaluate: Callable[[nn.Module], Row],
) -> list[Row]:
    """Train `model` in place; returns a row for every step and every epoch, in order.

    `step(model, *batch, optimizer, schedule)`, such as `training_step`, trains on one batch: loss,
    gradients, clipping, optimizer, schedule (§5.3). `evaluate(model)` measures on validation data.
    """
    history, n_steps = list[Row](), 0
    for epoch in range(epochs):
        batches.set_epoch(epoch)  # another order in every epoch
        for batch in batches:
            row = step(model, *batch, optimizer, schedule)
            n_steps += 1
            history.append({"step": n_steps, **row})
        model.eval()
        with torch.no_grad():
            score = evaluate(model)
        history.append({"step": n_steps, "epoch": epoch + 1, **score})
    return history
