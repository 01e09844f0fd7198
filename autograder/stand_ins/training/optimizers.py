"""The recipe of §5.3 in torch's own parts, until assignment 3 is over."""

import torch

from .schedules import WarmupSchedule


def paper_optimizer(model, d_model, warmup_steps=4000):
    """`(optimizer, schedule)` (§5.3, Eq. 3). Raises ValueError for a warm-up below 1 step."""
    if warmup_steps <= 0:
        raise ValueError(f"a warm-up of {warmup_steps} steps: give 1 or more")
    # without decay, AdamW is Adam
    kind = {"lr": 1, "betas": (0.9, 0.98), "eps": 1e-9, "weight_decay": 0}
    adam = torch.optim.AdamW(list(model.parameters()), **kind)
    return adam, WarmupSchedule(adam, d_model, warmup_steps)
