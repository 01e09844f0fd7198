"""A learning rate for training with a fixed number of steps: linear warm-up, linear decay.

It is separate from `schedules`, which is an exercise: students can train with this rate whether or
not they have solved that.
"""


def linear_rate(step: int, n_steps: int, warmup_steps: int) -> float:
    """The learning rate at a step as a share of the peak, 0 to 1; steps count from 1.

    It rises linearly to 1 at step `warmup_steps`, stays there for one more step, and falls linearly
    to 0 at step `n_steps` + 1. The paper's rate (§5.3, Eq. 3), which decays forever, is
    `schedules.warmup_rate`.
    """
    rising = step / warmup_steps
    falling = (n_steps + 1 - step) / max(1, n_steps - warmup_steps)
    return max(0.0, min(rising, falling, 1.0))
