"""Estimates the effect of each factor: differences from the default, with joint intervals."""

import math
from collections.abc import Collection, Sequence

from scipy import stats

from .intervals import pooled_noise
from .space import Configuration, Factors
from .trial import Row


def holm(p_values: Sequence[float]) -> list[float]:
    """The p-values adjusted for their number by Holm's method (1979), in the same order.

    With m of them sorted upwards, the i-th (from 0) is multiplied by m − i; no adjusted one is
    smaller than one before it, or larger than 1. Compared with 5 %, they keep the chance of even
    one false alarm among all m below 5 %.
    """
    m, largest = len(p_values), 0.0
    adjusted = [0.0] * m
    for rank, place in enumerate(sorted(range(m), key=lambda i: p_values[i])):
        largest = max(largest, min(1.0, (m - rank) * p_values[place]))
        adjusted[place] = largest
    return adjusted


def sensitivity(
    summary: Collection[Row], default: Configuration, factors: Factors, level: float = 0.95
) -> list[Row]:
    """The effect of changing one factor of the default: one row each `factor` and other `level`.

    They come in the order of `factors` and of their levels. `summary` is that of `summarize`.
    `difference` is the configuration's mean minus the default's. `low` and `high` are its interval,
    difference ± t · s · √(1/n + 1/n_default), with the pooled noise s of all of `summary` and its
    degrees of freedom; `p` is the two-sided p-value of no difference, and `adjusted` is Holm's over
    all rows. Levels whose configuration has no complete trial, or is not in `summary`, are left
    out. Raises ValueError when the default has none.
    """
    lines = {tuple(line[f] for f in factors): line for line in summary if line["n"]}
    base = lines.get(tuple(default[f] for f in factors))
    if base is None:
        raise ValueError("the default has no complete trial: there is nothing to compare with")
    s, degrees = pooled_noise([line["qualities"] for line in lines.values()])
    quantile = float(stats.t.ppf((1 + level) / 2, df=degrees))
    rows = []
    for factor, levels in factors.items():
        for other in levels:
            line = lines.get(tuple({**default, factor: other}[f] for f in factors))
            if line is None or line is base:
                continue
            error = s * math.sqrt(1 / line["n"] + 1 / base["n"])
            difference = line["mean"] - base["mean"]
            p = float(2 * stats.t.sf(abs(difference) / error, df=degrees))
            low, high = difference - quantile * error, difference + quantile * error
            row = {"factor": factor, "level": other, "difference": difference}
            rows.append({**row, "low": low, "high": high, "p": p})
    for row, adjusted in zip(rows, holm([row["p"] for row in rows]), strict=True):
        row["adjusted"] = adjusted
    return rows
