"""The optimizer and the learning-rate schedule of the paper.

Paper statements R47, R51 (lectures/paper_audit.md).
"""

import torch
from torch import nn

from .schedules import WarmupSchedule


def paper_optimizer(
    model: nn.Module, d_model: int, warmup_steps: int = 4000
) -> tuple[torch.optim.Adam, WarmupSchedule]:
    """`(optimizer, schedule)`: Adam, and the learning rate with warm-up (§5.3, Eq. 3).

    Call `schedule.step()` after every step of the optimizer; its first step is step 1 of the
    paper. Raises ValueError unless `warmup_steps` is 1 or more.
    """
    if warmup_steps < 1:
        raise ValueError(f"warmup_steps = {warmup_steps}: give 1 or more")
    # §5.3 — "We used the Adam optimizer with β1 = 0.9, β2 = 0.98 and ε = 10^-9"
    optimizer = torch.optim.Adam(model.parameters(), lr=1.0, betas=(0.9, 0.98), eps=1e-9)
    return optimizer, WarmupSchedule(optimizer, d_model, warmup_steps)
