"""The optimizer of a trial: the paper's Adam, and the schedule that the configuration names."""

from __future__ import annotations

import torch
from torch import nn
from torch.optim.lr_scheduler import LambdaLR

from ..profiles import StudyProfile
from ..space import Configuration
from .rates import SCHEDULES, scaled_warmup


def optimizer_and_schedule(
    model: nn.Module, configuration: Configuration, settings: StudyProfile
) -> tuple[torch.optim.Adam, LambdaLR]:
    """Adam (§5.3) whose rate rises to `settings.learning_rate` whatever the warm-up and schedule.

    With the paper's own formula a longer warm-up would also lower the highest rate, and a study
    could not tell one from the other.
    """
    # §5.3 — "We used the Adam optimizer with β1 = 0.9, β2 = 0.98 and ε = 10^-9"
    optimizer = torch.optim.Adam(
        model.parameters(), lr=settings.learning_rate, betas=(0.9, 0.98), eps=1e-9
    )
    shape, n_steps = SCHEDULES[configuration["schedule"]], settings.n_steps
    warmup = scaled_warmup(configuration["warmup"], n_steps)

    def rate(steps_done: int) -> float:  # torch counts from 0, the paper from 1
        return shape(min(steps_done + 1, n_steps), n_steps, warmup)

    return optimizer, LambdaLR(optimizer, rate)
