"""Train a model according to a profile: optimizer, schedule, weight average, and loop."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from torch import nn

from ..training.fit import TrainingConfig, fit
from ..training.running_average import WeightAverage
from .profiles import Profile, optimizer_and_schedule

Row = dict[str, float]


def fit_by(
    settings: Profile,
    model: nn.Module,
    batches: Any,
    step: Callable[..., Row],
    evaluate: Callable[[Any], Row],
    progress: bool,
    folder: str | None,
    after_step: Callable[[nn.Module, int], None] | None = None,
) -> list[Row]:
    """Train `model` and return the history; see `training.fit` for the arguments.

    Its final weights are the average from `settings.average_from` on.
    """
    n_steps = settings.epochs * len(batches)
    optimizer, schedule = optimizer_and_schedule(model, settings, n_steps)
    average = WeightAverage(model, start=round(settings.average_from * n_steps))
    history = fit(
        model,
        batches,
        step=step,
        optimizer=optimizer,
        schedule=schedule,
        config=TrainingConfig(
            settings.epochs, label_smoothing=settings.label_smoothing, progress=progress
        ),
        evaluate=evaluate,
        folder=folder,
        after_step=after_step,
        average=average,
    )
    model.load_state_dict(average.weights)
    return history
