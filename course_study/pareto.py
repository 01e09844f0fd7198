"""Configurations that no other one beats in everything."""

from collections.abc import Sequence

import numpy as np


def pareto_front(points: Sequence[Sequence[float]], maximize: Sequence[bool]) -> list[int]:
    """The indices, in order, of the points that no other point dominates.

    Column j of `points` is better when larger where `maximize[j]`, and when smaller otherwise. A
    point dominates another when it is at least as good in every column and better in one; equal
    points do not dominate each other. Raises ValueError for a point that contains NaN.
    """
    values = np.asarray(points, dtype=float).reshape(len(points), len(maximize))
    if np.isnan(values).any():
        raise ValueError("a point contains NaN: leave out what was not measured")
    gains = np.where(maximize, values, -values)
    at_least = (gains[:, None] >= gains[None]).all(axis=-1)  # [i, j]: i is as good as j
    better = (gains[:, None] > gains[None]).any(axis=-1)
    dominated = (at_least & better).any(axis=0)
    return np.flatnonzero(~dominated).tolist()
