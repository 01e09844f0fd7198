"""The learning rate of §5.3, until assignment 3 is over."""

import torch


def warmup_rate(step, d_model, warmup_steps=4000):
    """The rate at a step, counted from 1 (§5.3, Eq. 3). Raises ValueError at step 0."""
    if step <= 0:
        raise ValueError(f"the rate begins at step 1, not {step}")
    slower = max(step, warmup_steps**3 / step**2)
    return torch.float_power(d_model * slower, torch.tensor(-0.5)).item()
