"""The learning rate of a trial: schedules of one height, and Adam that follows them (§5.3)."""

import math
from collections.abc import Callable

import torch
from torch import nn
from torch.optim.lr_scheduler import LambdaLR

from course_lib.training.named_optimizers import adam
from course_lib.training.schedules import warmup_rate

from ..profiles import StudyProfile
from ..space import Configuration

PAPER_STEPS = 100_000  # §5.2 — "We trained the base models for a total of 100,000 steps" (R46)


def scaled_warmup(warmup: int, n_steps: int) -> int:
    """The warm-up of a training of `n_steps` whose share of it is the paper's; at least 1 step."""
    return max(1, round(warmup * n_steps / PAPER_STEPS))


def paper(step: int, n_steps: int, warmup: int) -> float:
    """Eq. 3, divided by its highest value: it falls with the inverse square root (§5.3)."""
    return warmup_rate(step, 1, warmup) / warmup_rate(warmup, 1, warmup)


def constant(step: int, n_steps: int, warmup: int) -> float:
    """A linear warm-up, then no change."""
    return min(1.0, step / warmup)


def cosine(step: int, n_steps: int, warmup: int) -> float:
    """A linear warm-up, then half a cosine down to 0 just after the last step."""
    if step <= warmup:
        return step / warmup
    done = (step - warmup) / (n_steps + 1 - warmup)
    return 0.5 * (1 + math.cos(math.pi * done))


SCHEDULES: dict[str, Callable[[int, int, int], float]] = {
    "paper": paper,
    "constant": constant,
    "cosine": cosine,
}


def trial_optimizer(
    model: nn.Module, configuration: Configuration, settings: StudyProfile
) -> tuple[torch.optim.Adam, LambdaLR]:
    """Adam (§5.3) whose rate rises to `settings.learning_rate` whatever the warm-up and schedule.

    With the paper's own formula a longer warm-up would also lower the highest rate, and a study
    could not tell one from the other.
    """
    optimizer = adam(model, settings.learning_rate)
    shape, n_steps = SCHEDULES[configuration["schedule"]], settings.n_steps
    warmup = scaled_warmup(configuration["warmup"], n_steps)

    def rate(steps_done: int) -> float:  # torch counts from 0, the paper from 1
        return shape(min(steps_done + 1, n_steps), n_steps, warmup)

    return optimizer, LambdaLR(optimizer, rate)
