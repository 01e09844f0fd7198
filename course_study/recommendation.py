"""Which configuration to take, and how sure one may be of it."""

from collections.abc import Collection, Sequence

import numpy as np

from .trial import Row


def recommend(summary: Collection[Row], margin: float, cost: str) -> Row:
    """The cheapest row that is as good as the best one, as far as the study can tell.

    Rows of `summarize` come into question when they have complete trials, no failed one, and a
    mean less than `margin` below the highest such mean. Of these the one with the least `cost` (a
    key of the rows) is taken; of equally cheap ones the one with the higher mean.
    Raises ValueError when no row comes into question.
    """
    sound = [row for row in summary if row["n"] and not row["failed"]]
    if not sound:
        raise ValueError("every configuration has failed trials or none: run the study first")
    best = max(row["mean"] for row in sound)
    as_good = [row for row in sound if best - row["mean"] < margin]
    return min(as_good, key=lambda row: (row[cost], -row["mean"]))


def chance_of_being_best(
    means: Sequence[float],
    s: float,
    n_seeds: Sequence[int],
    rng: np.random.Generator,
    n_draws: int = 10_000,
) -> np.ndarray:
    """For each configuration, the share of repeated studies in which it has the highest mean.

    A repeated study draws every mean from a normal distribution around the measured one, with the
    standard error s / √n of its `n_seeds`. The shares sum to 1.
    """
    errors = s / np.sqrt(np.asarray(n_seeds, dtype=float))
    drawn = rng.normal(means, errors, size=(n_draws, len(means)))
    wins = np.bincount(drawn.argmax(axis=1), minlength=len(means))
    return wins / n_draws
