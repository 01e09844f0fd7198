"""The training loop in one screen, without options. `fit` is this loop for long trainings."""

from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor, nn
from torch.nn import functional as F

Row = dict[str, float]
Loss = Callable[..., tuple[Tensor, dict[str, Tensor]]]  # of a batch, and what else was measured


def classification_loss(
    model: nn.Module, token_ids: Tensor, labels: Tensor, label_smoothing: float = 0.1
) -> tuple[Tensor, dict[str, Tensor]]:
    """The loss on `token_ids` (batch, n) and `labels` (batch,), and the share that is right."""
    logits, _ = model(token_ids)
    accuracy = (logits.argmax(dim=-1) == labels).float().mean()
    return F.cross_entropy(logits, labels, label_smoothing=label_smoothing), {"accuracy": accuracy}


def train_on(
    model: nn.Module,
    batch: tuple[Tensor, ...],
    loss: Loss,
    optimizer: torch.optim.Optimizer,
    schedule: Any,
) -> Row:
    """One optimizer step on one batch; returns what was measured, as floats."""
    model.train()
    value, measures = loss(model, *batch)
    value.backward()
    norm = nn.utils.clip_grad_norm_(model.parameters(), max_norm=1.0)
    measures |= {"loss": value.detach(), "gradient_norm": norm}
    rate = optimizer.param_groups[0]["lr"]
    optimizer.step()
    schedule.step()
    optimizer.zero_grad()
    return {name: float(measure) for name, measure in measures.items()} | {"learning_rate": rate}


def train(
    model: nn.Module,
    batches: Any,
    loss: Loss,
    optimizer: torch.optim.Optimizer,
    schedule: Any,
    epochs: int,
    evaluate: Callable[[nn.Module], Row],
) -> list[Row]:
    """Train `model` in place; returns a row for every step and every epoch, in order.

    `batches` are tuples of tensors, shuffled anew by `set_epoch(epoch)`; `loss(model, *batch)` is
    differentiable; `evaluate(model)` measures on validation data.
    """
    history, step = list[Row](), 0
    for epoch in range(epochs):
        batches.set_epoch(epoch)
        for batch in batches:
            step += 1
            history.append({"step": step, **train_on(model, batch, loss, optimizer, schedule)})
        with torch.no_grad():
            history.append({"step": step, "epoch": epoch + 1, **evaluate(model.eval())})
    return history
