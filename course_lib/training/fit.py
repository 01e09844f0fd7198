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

from .long_trainings.checkpoints import CheckpointError
from .long_trainings.first_steps import NothingTrainsError
from .long_trainings.machine import Batch, n_examples, tokens
from .long_trainings.run import Evaluation, TrainingConfig, TrainingRun
from .plain import Row
from .recompute import recomputed
from .update import Loss, Step, measured, step_of
from .weight_averages import WeightAverage

SKIPPED = 20  # fp16 steps in a row: from its first 2^16, the scale is then below 1

__all__ = ["CheckpointError", "DivergedError", "NothingTrainsError", "TrainingConfig", "fit"]


class DivergedError(Exception):
    """The loss or the gradient is not finite."""


def fit(
    model: nn.Module,
    batches: Any,
    *,
    optimizer: torch.optim.Optimizer,
    schedule: Any,
    loss: Loss | None = None,
    step: Step | None = None,
    count: Callable[[Batch], int] | None = None,
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
    a batch and what else it measured. A step on several batches needs `count(batch)`, the number of
    terms that a batch's loss is the mean of: then its loss is the mean over all of them. In place
    of a loss, a `step` of your own may do all of `update.step_of` on one batch, without
    accumulation. With `average`, the averaged weights are evaluated. With `folder`, logs and
    checkpoints are written there, and an interrupted training resumes from them (unless `resume` is
    False), one with other settings does not.
    Raises DivergedError when the loss is not finite, NothingTrainsError when no weight changes, and
    CheckpointError for a checkpoint that is unreadable or from another training.
    """
    config, path = config or TrainingConfig(), Path(folder) if folder else None
    if step is not None and config.accumulate > 1:
        raise ValueError("a step trains on one batch: give `fit` a loss to accumulate gradients")
    how = step or (step_of(loss) if loss else None)
    if how is None:
        raise ValueError("give `fit` a loss, or a step of your own")
    run = TrainingRun(model, batches, optimizer, schedule, config, average, path, resume)
    if count is None and run.group_size > 1:
        raise ValueError(
            f"a step on {run.group_size} batches needs a count: the terms that the loss of a batch "
            "is the mean of, such as count=n_examples, or count=real_targets for tokens"
        )
    with run.stopping.best_at_end(model), run.log() as log, run.bar() as bar:
        for group, ends_epoch in run.groups():
            shares = run.machine.own(group, count or n_examples)
            row = run.record(_update(run, how, loss, shares, optimizer, schedule))
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
        run.first_steps.end()
    return run.state.history


def _update(
    run: TrainingRun,
    step: Step,
    loss: Loss | None,
    own: list[tuple[tuple[Tensor, ...], float]],
    optimizer: torch.optim.Optimizer,
    schedule: Any,
) -> Row:
    """One step on the mean loss of a group of batches; returns its row.

    The gradients of all but the last batch are added up first, of a `loss`. `clip` checks before
    the step changes the weights.
    """
    config, machine, model, losses = run.config, run.machine, run.shared_model, list[float]()
    smoothing, rate = config.label_smoothing, optimizer.param_groups[0]["lr"]
    *others, (batch, weight) = own

    def clip(parameters: Iterable[Tensor], max_norm: float) -> Tensor:
        norm = machine.clip(parameters, max_norm, optimizer)
        _check(run, sum(losses), norm, rate)
        return torch.tensor(norm)

    def backward(value: Tensor) -> None:
        losses.append(float(value.detach()) * weight)
        machine.backward(value * weight)

    rows = [_accumulated(run, loss, *other) for other in others if loss]
    losses += [row["loss"] * share for row, (_, share) in zip(rows, others, strict=True)]
    how = {"max_norm": config.max_norm, "label_smoothing": smoothing}
    with machine.autocast(), _keeping(run):
        row = step(model, *batch, optimizer, schedule, **how, backward=backward, clip=clip)
    row = machine.mean([*rows, row], [weight for _, weight in own])
    _check(run, row["loss"], row.get("gradient_norm", 0.0), rate)
    if not machine.skipped:
        run.first_steps.look({"learning_rate": rate, **row}, len(losses) > len(rows))
    run.average_weights()
    return row


def _accumulated(run: TrainingRun, loss: Loss, batch: tuple[Tensor, ...], weight: float) -> Row:
    """Add the gradients of a batch that is not the last of its group; returns its measures."""
    run.model.train()
    with run.machine.accumulating(run.shared_model):
        with run.machine.autocast(), _keeping(run):
            value, measures = loss(
                run.shared_model, *batch, label_smoothing=run.config.label_smoothing
            )
        run.machine.backward(value * weight)
    return measured(value, measures)


def _keeping(run: TrainingRun) -> AbstractContextManager[None]:
    """Selects what a forward pass keeps for the backward pass: by `recompute`."""
    return recomputed(run.model) if run.config.recompute else nullcontext()


def _check(run: TrainingRun, loss: float, norm: float, rate: float) -> None:
    """Raise DivergedError, naming the step, for a loss or norm that is NaN or infinite."""
    expected = run.machine.scaler.is_enabled() and run.machine.skipped < SKIPPED
    if math.isfinite(loss) and (math.isfinite(norm) or expected):
        return
    if run.checkpoints:
        run.checkpoints.diverged()
    again = f" in {SKIPPED} steps in a row, all without effect" if run.machine.skipped > 1 else ""
    raise DivergedError(
        f"step {run.state.step + 1}: loss {loss:.4g}, learning rate {rate:.4g}, gradient norm "
        f"{norm:.4g}{again}: the training diverged; try a lower learning rate or a longer warm-up, "
        "and look for a division by zero or a row of weights with every key masked (in the "
        "lectures, “Questions that everybody asks”: “The loss is NaN”)"
    )


def _due(every: int | None, step: int) -> bool:
    return every is not None and step % every == 0
