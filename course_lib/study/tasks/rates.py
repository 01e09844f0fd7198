"""The schedules that a study compares: shapes of one height, so that only the shape differs."""

from __future__ import annotations

import math
from collections.abc import Callable

from ...training.schedules import warmup_rate

PAPER_STEPS = 100_000  # §5.2 — "We trained the base models for a total of 100,000 steps"


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
