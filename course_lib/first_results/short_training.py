"""A short training: some passes over a little data, with a rate that rises and falls."""

from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor, nn

RATE = 5e-3  # the highest


def train(
    model: nn.Module,
    batches: Any,
    loss: Callable[..., Tensor],
    passes: int,
    measure: Callable[[], float],
) -> None:
    """Train `model` in place by `loss(model, *batch)`; print `measure()`, a share, after each pass.

    Leaves the model in evaluation mode.
    """
    optimizer = torch.optim.Adam(model.parameters(), lr=RATE)
    schedule = torch.optim.lr_scheduler.OneCycleLR(optimizer, RATE, passes * len(batches))
    print(f"  before training {measure():.0%}", end="", flush=True)
    for number in range(passes):
        batches.set_epoch(number)
        for batch in batches:
            model.train()
            loss(model, *batch).backward()
            optimizer.step()
            model.zero_grad()
            schedule.step()
        model.eval()
        print(f" → {measure():.0%}", end="", flush=True)
    print()
