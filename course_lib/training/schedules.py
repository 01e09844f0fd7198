"""The learning-rate schedule of the paper.

Paper statements R48, R49 (lectures/paper_audit.md).
"""

import torch
from torch import Tensor
from torch.optim.lr_scheduler import LRScheduler


def warmup_rate(step: int, d_model: int, warmup_steps: int = 4000) -> float:
    """The learning rate at a step, counted from 1 (§5.3, Eq. 3).

    Grows linearly for `warmup_steps`, then falls with the inverse square root of the step.
    Raises ValueError at step 0, where the formula has no value.
    """
    if step < 1:
        raise ValueError(f"step {step}: the first step is 1, because step^-0.5 is undefined at 0")
    # §5.3, Eq. 3 — d_model^-0.5 · min(step^-0.5, step · warmup_steps^-1.5)
    return d_model**-0.5 * min(step**-0.5, step * warmup_steps**-1.5)


class WarmupSchedule(LRScheduler):
    """`warmup_rate` as a torch scheduler; call `step()` after every step of the optimizer.

    The optimizer's own rate is a factor (1.0 for the paper's), and its first step is step 1.
    """

    def __init__(
        self, optimizer: torch.optim.Optimizer, d_model: int, warmup_steps: int = 4000
    ) -> None:
        self.d_model, self.warmup_steps = d_model, warmup_steps
        super().__init__(optimizer)

    def get_lr(self) -> list[float | Tensor]:
        # torch counts from 0, the paper from 1
        rate = warmup_rate(self.last_epoch + 1, self.d_model, self.warmup_steps)
        return [base * rate for base in self.base_lrs]
