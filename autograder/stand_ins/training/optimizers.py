"""The recipe of §5.3, its rate from one step to the next, until assignment 3 is over."""

import torch
from torch.optim.lr_scheduler import MultiplicativeLR


def paper_optimizer(model, d_model, warmup_steps=4000):
    """`(optimizer, schedule)` (§5.3, Eq. 3). Raises ValueError for a warm-up below 1 step."""
    if warmup_steps <= 0:
        raise ValueError(f"a warm-up of {warmup_steps} steps: give 1 or more")
    first = (d_model * warmup_steps**3) ** -0.5
    adam = torch.optim.Adam(list(model.parameters()), lr=first, betas=(0.9, 0.98), eps=1e-9)

    def growth(done):
        return (done + 1) / done if done < warmup_steps else (done / (done + 1)) ** 0.5

    return adam, MultiplicativeLR(adam, growth)
