"""The training loop for every model of the course, on any device.

    history = fit(model, batches, step=training_step, optimizer=optimizer, schedule=schedule,
                  config=TrainingConfig(epochs=3), evaluate=evaluate, folder="runs/first")

After an interruption, the same call resumes from the last checkpoint. With
`torchrun --nproc-per-node 2`, two processes share the batches.
"""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import torch
from torch import nn

from .loop.batch_groups import tokens
from .loop.checkpoints import CheckpointError
from .loop.distributed_step import DivergedError, Row
from .loop.run import Evaluation, TrainingConfig, TrainingRun
from .running_average import WeightAverage

__all__ = ["CheckpointError", "DivergedError", "TrainingConfig", "fit"]


def fit(
    model: nn.Module,
    batches: Any,
    *,
    step: Callable[..., Row],
    optimizer: torch.optim.Optimizer,
    schedule: Any,
    config: TrainingConfig | None = None,
    evaluate: Evaluation | None = None,
    folder: Path | str | None = None,
    after_step: Callable[[nn.Module, int], None] | None = None,
    average: WeightAverage | None = None,
    resume: bool = True,
) -> list[Row]:
    """Train `model` in place; returns one row per step and per evaluation, in order.

    `batches` can be iterated repeatedly, has `len()` and `set_epoch(epoch)`, and gives the same
    tuples of tensors for the same epoch. `step(model, *batch, optimizer, schedule, max_norm=…,
    label_smoothing=…, backward=…, clip=…)` trains on one batch and returns its row. With `average`,
    the averaged weights are evaluated. With `folder`, logs and checkpoints are written there, and
    an interrupted training resumes from them (unless `resume` is False).
    Raises DivergedError when the loss is not finite, CheckpointError for a checkpoint that is
    unreadable or from another training.
    """
    config, path = config or TrainingConfig(), Path(folder) if folder else None
    run = TrainingRun(model, batches, step, optimizer, schedule, config, average, path, resume)
    with run, run.log() as log, run.bar() as bar:
        for group, ends_epoch in run.groups():
            row = run.train_on(group)
            log.step(row, tokens(group))
            bar.show(row, tokens(group))
            step_number = run.state.step
            if after_step is not None:
                after_step(model, step_number)
            if evaluate and (ends_epoch or _due(config.evaluate_every, step_number)):
                log.evaluation(run.evaluate(evaluate))
            if ends_epoch:
                run.end_epoch()
            if ends_epoch or _due(config.checkpoint_every, step_number):
                run.save()
    return run.state.history


def _due(every: int | None, step: int) -> bool:
    return every is not None and step % every == 0
