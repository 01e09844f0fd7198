"""The training loop: one for every model of the course, on any device.

    history = fit(model, batches, step=training_step, optimizer=optimizer, schedule=schedule,
                  config=TrainingConfig(epochs=3), evaluate=evaluate, folder="runs/first")

Run the same call again after an interruption and it goes on where its last checkpoint was. Start
a script with `torchrun --nproc-per-node 2` and two processes share the batches.
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
    """Train `model` in place; returns a row a step and a row an evaluation, in order.

    `batches` can be iterated again and again, has `len()` and `set_epoch(epoch)`, and gives the
    same tuples of tensors for the same epoch. `step(model, *batch, optimizer, schedule, max_norm=…,
    label_smoothing=…, backward=…, clip=…)` trains on one of them and returns its row. With
    `average` its weights are the ones evaluated. With `folder`, logs and checkpoints are written,
    and an interrupted training goes on there (unless `resume` is False).
    Raises DivergedError when the loss is no number, CheckpointError for a checkpoint of another
    training.
    """
    config, place = config or TrainingConfig(), Path(folder) if folder else None
    run = TrainingRun(model, batches, step, optimizer, schedule, config, average, place, resume)
    with run, run.log() as log, run.bar() as bar:
        for group, ends_epoch in run.groups():
            row = run.train_on(group)
            log.step(row, tokens(group))
            bar.show(row, tokens(group))
            now = run.state.step
            if after_step is not None:
                after_step(model, now)
            if evaluate and (ends_epoch or _due(config.evaluate_every, now)):
                log.evaluation(run.evaluate(evaluate))
            if ends_epoch:
                run.end_epoch()
            if ends_epoch or _due(config.checkpoint_every, now):
                run.save()
    return run.state.history


def _due(every: int | None, step: int) -> bool:
    return every is not None and step % every == 0
