"""The loop of `plain` for long trainings, on any device.

    history = fit(model, batches, step=training_step, optimizer=optimizer, schedule=schedule,
                  config=TrainingConfig(epochs=3), evaluate=evaluate, folder="runs/first")

After an interruption, the same call resumes from the last checkpoint, of some seconds ago. With
`torchrun --nproc-per-node 2`, two processes share the batches.
"""

import math
from collections.abc import Callable, Iterable
from contextlib import AbstractContextManager, nullcontext
from pathlib import Path
from typing import Any

import torch
from torch import Tensor, nn

from .checkpoints import CheckpointError
from .machine import Batch, examples, tokens
from .plain import Row
from .recompute import recomputed
from .run import Evaluation, TrainingConfig, TrainingRun
from .weight_averages import WeightAverage

Loss = Callable[..., tuple[Tensor, dict[str, Tensor]]]  # of a batch, and what else was measured

__all__ = ["CheckpointError", "DivergedError", "TrainingConfig", "fit"]


class DivergedError(Exception):
    """The loss or the gradient is not finite."""


def fit(
    model: nn.Module,
    batches: Any,
    *,
    optimizer: torch.optim.Optimizer,
    schedule: Any,
    loss: Loss | None = None,
    step: Callable[..., Row] | None = None,
    count: Callable[[Batch], int] = examples,
    config: TrainingConfig | None = None,
    evaluate: Evaluation | None = None,
    folder: Path | str | None = None,
    after_step: Callable[[nn.Module, int], None] | None = None,
    average: WeightAverage | None = None,
    resume: bool = True,
) -> list[Row]:
    """Train `model` in place; returns one row per step and per evaluation, in order.

    `batches` can be iterated repeatedly, has `len()` and `set_epoch(epoch)`, and gives the same
    tuples of tensors for the same epoch. `loss(model, *batch, label_smoothing=…)` gives the loss of
    a batch and what else it measured; `count(batch)` is the number of terms that this is a mean of,
    which makes the mean of several batches that of their union. In place of a loss, a `step` of
    your own may do all of `_update` on one batch, without accumulation: `step(model, *batch,
    optimizer, schedule, max_norm=…, label_smoothing=…, backward=…, clip=…)` returns its row. With
    `average`, the averaged weights are evaluated. With `folder`, logs and checkpoints are written
    there, and an interrupted training resumes from them (unless `resume` is False).
    Raises DivergedError when the loss is not finite, CheckpointError for a checkpoint that is
    unreadable or from another training.
    """
    config, path = config or TrainingConfig(), Path(folder) if folder else None
    if step is None and loss is None:
        raise ValueError("give `fit` a loss, or a step of your own")
    if step is not None and config.accumulate > 1:
        raise ValueError("a step trains on one batch: give `fit` a loss to accumulate gradients")
    run = TrainingRun(model, batches, optimizer, schedule, config, average, path, resume)
    with run.stopping.best_at_end(model), run.log() as log, run.bar() as bar:
        for group, ends_epoch in run.groups():
            if step is not None:
                row = run.record(_update_by(step, run, group, count, optimizer, schedule))
            elif loss is not None:
                row = run.record(_update(run, group, loss, count, optimizer, schedule))
            log.step(row, tokens(group))
            bar.show(row, tokens(group))
            number = run.state.step
            if after_step is not None:
                after_step(model, number)
            if evaluate and (ends_epoch or _due(config.evaluate_every, number)):
                measured = run.evaluate(evaluate)
                log.evaluation(measured)
                bar.evaluated(measured)
            if ends_epoch:
                run.end_epoch()
            if ends_epoch or _due(config.checkpoint_every, number) or run.is_unsaved_for_long:
                run.save()
    return run.state.history


def _update(
    run: TrainingRun,
    group: list[Batch],
    loss: Loss,
    count: Callable[[Batch], int],
    optimizer: torch.optim.Optimizer,
    schedule: Any,
) -> Row:
    """One optimizer step on the mean loss of a group of batches; returns its row."""
    config, machine, model = run.config, run.machine, run.shared_model
    model.train()
    own, rows = machine.own(group, count), list[Row]()
    for batch, weight in own:
        is_last = len(rows) == len(own) - 1
        with nullcontext() if is_last else machine.accumulating(model):
            with machine.autocast(), _keeping(run):
                value, measures = loss(model, *batch, label_smoothing=config.label_smoothing)
            machine.scaler.scale(value * weight).backward()
        measured = {"loss": value.detach(), **measures}
        rows.append({name: float(measure) for name, measure in measured.items()})
    row = machine.mean(rows, [weight for _, weight in own])
    row["gradient_norm"] = machine.clip(model.parameters(), config.max_norm, optimizer)
    row["learning_rate"] = optimizer.param_groups[0]["lr"]
    _check(run, row["loss"], row["gradient_norm"], row["learning_rate"])
    optimizer.step()
    schedule.step()
    run.average_weights()
    optimizer.zero_grad()
    return row


def _update_by(
    step: Callable[..., Row],
    run: TrainingRun,
    group: list[Batch],
    count: Callable[[Batch], int],
    optimizer: torch.optim.Optimizer,
    schedule: Any,
) -> Row:
    """`_update` by a step that was passed in; `clip` checks before the step changes the weights."""
    config, machine, losses = run.config, run.machine, list[Tensor]()
    rate = optimizer.param_groups[0]["lr"]
    ((batch, weight),) = machine.own(group, count)

    def backward(loss: Tensor) -> None:
        losses.append(loss.detach())
        machine.scaler.scale(loss * weight).backward()

    def clip(parameters: Iterable[Tensor], max_norm: float) -> Tensor:
        norm = machine.clip(parameters, max_norm, optimizer)
        _check(run, float(sum(losses)), norm, rate)
        return torch.tensor(norm)

    settings = {"max_norm": config.max_norm, "label_smoothing": config.label_smoothing}
    parts = (optimizer, schedule)
    with machine.autocast(), _keeping(run):
        row = step(run.shared_model, *batch, *parts, **settings, backward=backward, clip=clip)
    row = machine.mean([row], [weight])
    _check(run, row["loss"], row.get("gradient_norm", 0.0), rate)
    run.average_weights()
    return row


def _keeping(run: TrainingRun) -> AbstractContextManager[None]:
    """Selects what a forward pass keeps for the backward pass: by `recompute`."""
    return recomputed(run.model) if run.config.recompute else nullcontext()


def _check(run: TrainingRun, loss: float, norm: float, rate: float) -> None:
    """Raise DivergedError, naming the step, for a loss or norm that is NaN or infinite."""
    if not (math.isfinite(loss) and (math.isfinite(norm) or run.machine.scaler.is_enabled())):
        raise DivergedError(
            f"step {run.state.step + 1}: loss {loss:.4g}, learning rate {rate:.4g}, gradient norm "
            f"{norm:.4g}: the training diverged; try a lower learning rate or a longer warm-up, "
            "and look for a division by zero or a row of weights with every key masked (in the "
            "lectures, “Questions that everybody asks”: “The loss is NaN”)"
        )


def _due(every: int | None, step: int) -> bool:
    return every is not None and step % every == 0
