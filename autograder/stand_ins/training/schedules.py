"""The learning rate of Eq. 3, as torch's own scheduler, until assignment 3 is over."""

from torch.optim.lr_scheduler import LambdaLR


def warmup_rate(step, d_model, warmup_steps=4000):
    """The learning rate at a step, counted from 1 (§5.3, Eq. 3). Raises ValueError at step 0."""
    if step < 1:
        raise ValueError(f"step {step}: the first step is 1")
    rising = step < warmup_steps
    return (step * warmup_steps**-1.5 if rising else step**-0.5) / d_model**0.5


class WarmupSchedule(LambdaLR):
    """`warmup_rate` as a torch scheduler, multiplied by the optimizer's own learning rate."""

    def __init__(self, optimizer, d_model, warmup_steps=4000):
        super().__init__(optimizer, lambda done: warmup_rate(done + 1, d_model, warmup_steps))
