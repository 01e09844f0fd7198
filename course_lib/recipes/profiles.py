"""Shared parts of all recipes: the profile, the optimizer and its rate, the training by a profile.

A profile is a named set of training settings. `classifier_profiles` and `translation_profiles` add
their own fields, and the tables of profiles.
"""

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Protocol, TypeVar

import torch
from torch import nn
from torch.optim.lr_scheduler import LambdaLR, LRScheduler

from ..config import TransformerConfig
from ..training.fit import TrainingConfig, fit
from ..training.long_trainings.machine import Batch
from ..training.named_optimizers import OPTIMIZERS
from ..training.plain import Row
from ..training.update import Loss
from ..training.weight_averages import WeightAverage


@dataclass(frozen=True)
class Profile:
    """How a model is built and trained."""

    name: str
    dataset: str
    model: TransformerConfig
    vocab_size: int
    epochs: int
    max_tokens: int  # per batch
    learning_rate: float  # the peak
    average_from: float  # share of all steps after which weights are averaged
    min_frequency: int = 2  # occurrences needed to become a token
    warmup: float = 0.1  # R50: share of all steps; the rate then decays linearly to 0
    optimizer: str = "adamw"  # one of OPTIMIZERS
    weight_decay: float = 0.01  # R51
    label_smoothing: float = 0.1
    word_scale: float = 1.0  # factor on the initial token embeddings
    seed: int = 0
    train_limit: int | None = None  # training examples; None: all
    # When memory runs out (part 7 of the lectures): what each costs is in results/README.md.
    accumulate: int = 1  # batches per optimizer step
    recompute: bool = False  # gradient checkpointing
    precision: str = "auto"  # bf16 or fp16 on a GPU; see `TrainingConfig.mixed_precision`

    def __str__(self) -> str:
        return f"profile {self.name}: {self.epochs} epochs of {self.dataset}; {self.model}"


Known = TypeVar("Known")


class HasWordScale(Protocol):
    """A profile, of a recipe or of a study."""

    @property
    def word_scale(self) -> float: ...


def chosen(known: Mapping[str, Known], name: str, what: str = "profile") -> Known:
    """The profile, or other thing, of this name. Raises ValueError, listing the known ones."""
    if name not in known:
        raise ValueError(f"there is no {what} {name!r}: choose one of {', '.join(known)}")
    return known[name]


def optimizer_and_schedule(
    model: nn.Module, settings: Profile, n_steps: int
) -> tuple[torch.optim.Optimizer, LRScheduler]:
    """The profile's optimizer, and a rate with linear warm-up and linear decay to 0.

    The paper's schedule never ends; with a small, fixed number of steps the last ones should be
    small.
    """
    make = chosen(OPTIMIZERS, settings.optimizer, "optimizer")
    optimizer = make(model, settings.learning_rate, settings.weight_decay)
    warmup_steps = max(1, round(settings.warmup * n_steps))

    def rate(steps_done: int) -> float:  # torch counts from 0
        return linear_rate(steps_done + 1, n_steps, warmup_steps)

    return optimizer, LambdaLR(optimizer, rate)


def linear_rate(step: int, n_steps: int, warmup_steps: int) -> float:
    """The learning rate at a step as a share of the peak, 0 to 1; steps count from 1.

    It rises linearly to 1 at step `warmup_steps`, stays there for one more step, and falls linearly
    to 0 at step `n_steps` + 1. The paper's rate (§5.3, Eq. 3), which decays forever, is
    `schedules.warmup_rate`.
    """
    rising = step / warmup_steps
    falling = (n_steps + 1 - step) / max(1, n_steps - warmup_steps)
    return max(0.0, min(rising, falling, 1.0))


@torch.no_grad()
def scale_words(model: Any, settings: HasWordScale) -> None:
    """Scale the initial `embedding.tokens` of an untrained model by `word_scale`, in place."""
    model.embedding.tokens.weight *= settings.word_scale


def fit_by(
    settings: Profile,
    model: nn.Module,
    batches: Any,
    loss: Loss,
    evaluate: Callable[[Any], Row],
    progress: bool,
    folder: str | None,
    count: Callable[[Batch], int] | None = None,
) -> list[Row]:
    """Train `model` and return the history; see `training.fit` for the arguments.

    Its final weights are the average from `settings.average_from` on.
    """
    n_steps = settings.epochs * math.ceil(len(batches) / settings.accumulate)
    optimizer, schedule = optimizer_and_schedule(model, settings, n_steps)
    average = WeightAverage(model, start=round(settings.average_from * n_steps))
    history = fit(
        model,
        batches,
        loss=loss,
        count=count,
        optimizer=optimizer,
        schedule=schedule,
        config=TrainingConfig(
            settings.epochs,
            label_smoothing=settings.label_smoothing,
            accumulate=settings.accumulate,
            recompute=settings.recompute,
            mixed_precision=settings.precision,
            progress=progress,
        ),
        evaluate=evaluate,
        folder=folder,
        average=average,
    )
    model.load_state_dict(average.weights)
    return history
