"""Do factors act together? What changing several does, against the sum of single effects."""

from __future__ import annotations

import math
from collections.abc import Collection, Sequence
from typing import Any

from scipy import stats

from .intervals import pooled_noise
from .sensitivity import holm
from .space import Configuration, Factors

Row = dict[str, Any]


def interactions(summary: Collection[Row], default: Configuration, factors: Factors) -> list[Row]:
    """A row each configuration that changes at least two factors of the default.

    `predicted` is the default's mean plus, for each changed factor, what changing it alone
    changed; `difference` is the configuration's own mean minus that. With k factors changed it is
    a sum of k + 2 independent means, so its standard error is s · √(1/n + Σ 1/n_factor +
    (k − 1)²/n_default), with the pooled noise of all of `summary`; `low` and `high` are the
    95 % interval, `p` and `adjusted` as in `sensitivity`. A configuration one of whose single
    changes has no complete trial is left out. Raises ValueError when the default has none.
    """
    lines = {tuple(line[f] for f in factors): line for line in summary if line["n"]}
    base = lines.get(tuple(default[f] for f in factors))
    if base is None:
        raise ValueError("the default has no complete trial: there is nothing to compare with")
    s, degrees = pooled_noise([line["qualities"] for line in lines.values()])
    quantile = float(stats.t.ppf(0.975, df=degrees))
    rows = []
    for line in lines.values():
        changed = [f for f in factors if line[f] != default[f]]
        singles = [lines.get(tuple({**default, f: line[f]}[g] for g in factors)) for f in changed]
        found = [single for single in singles if single is not None]
        if len(changed) < 2 or len(found) < len(changed):
            continue
        predicted, share = _sum(found, base)
        error = s * math.sqrt(1 / line["n"] + share)
        difference = line["mean"] - predicted
        rows.append(
            {
                **{factor: line[factor] for factor in factors},
                "changed": changed,
                "mean": line["mean"],
                "predicted": predicted,
                "difference": difference,
                "low": difference - quantile * error,
                "high": difference + quantile * error,
                "p": float(2 * stats.t.sf(abs(difference) / error, df=degrees)),
            }
        )
    for row, adjusted in zip(rows, holm([row["p"] for row in rows]), strict=True):
        row["adjusted"] = adjusted
    return rows


def _sum(singles: Sequence[Row], base: Row) -> tuple[float, float]:
    """The default's mean plus every single effect, and the variance of that in units of s²."""
    k = len(singles)
    predicted = sum(single["mean"] for single in singles) - (k - 1) * base["mean"]
    return predicted, sum(1 / single["n"] for single in singles) + (k - 1) ** 2 / base["n"]
