"""The learning rate of a training whose end is known: linear up, linear down.

It stands apart from `schedules`, which is an exercise: students train with this rate before, and
whether or not, they have written their own.
"""


def linear_rate(step: int, n_steps: int, warmup_steps: int) -> float:
    """The share of the highest rate that a step has; steps count from 1, as in the paper.

    It rises by equal amounts to 1 at step `warmup_steps`, keeps it for one step more, and falls by
    equal amounts to 0 at the step after the last of `n_steps`, where it stays. The paper's own rate
    (§5.3, Eq. 3), which falls without an end, is `schedules.warmup_rate`.
    """
    rising = step / warmup_steps
    falling = (n_steps + 1 - step) / max(1, n_steps - warmup_steps)
    return max(0.0, min(rising, falling, 1.0))
