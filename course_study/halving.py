"""Ending trials early: successive halving, replayed on trials that ran to their end."""

from collections.abc import Sequence


def successive_halving(
    curves: Sequence[Sequence[float]], rungs: Sequence[int], eta: int = 3
) -> tuple[list[int], int]:
    """`(survivors, steps)` of successive halving (Jamieson and Talwalkar 2016) on known curves.

    `curves[i][t]` is the quality of trial i after step t + 1, all of one length. At each of the
    `rungs`, step counts in rising order, the trials that are left are ranked by their quality at
    that very step, and the best ⌈1/eta⌉ of them continue; of equal ones the first. `survivors` are
    those that reach the last step, in order of their index, and `steps` counts the steps that all
    trials took together. Raises ValueError for curves of different lengths, and for rungs that do
    not rise or lie outside 1 … length − 1.
    """
    lengths = {len(curve) for curve in curves}
    if len(lengths) != 1:
        raise ValueError(f"curves of {sorted(lengths)} steps: give all the same length")
    (length,) = lengths
    if list(rungs) != sorted(set(rungs)) or any(not 0 < rung < length for rung in rungs):
        raise ValueError(f"rungs {list(rungs)}: give rising step counts from 1 to {length - 1}")
    left, steps, before = list(range(len(curves))), 0, 0
    for rung in rungs:
        steps += len(left) * (rung - before)
        before = rung
        n_kept = -(-len(left) // eta)
        ranked = sorted(left, key=lambda i: -curves[i][rung - 1])
        left = sorted(ranked[:n_kept])
    return left, steps + len(left) * (length - before)
