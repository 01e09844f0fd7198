"""The table of a study: one line a configuration, over its seeds."""

from __future__ import annotations

from collections.abc import Collection
from statistics import fmean
from typing import Any

from .intervals import mean_interval

Row = dict[str, Any]


def summarize(
    rows: Collection[Row], factors: Collection[str], measures: Collection[str] = ()
) -> list[Row]:
    """One row a configuration, the best mean quality first.

    Each has the `factors`, `n` (the complete trials), `failed` and `pruned` (trials of that
    `status`; every status but "complete" and "pruned" counts as failed), `qualities` (of the
    complete trials, in the order of `rows`), and their `mean`, `low` and `high` (the 95 % interval
    of `mean_interval`), and under its own name the mean of each of `measures` over the complete
    trials; all of these are None where `n` is 0, and these configurations come last. Trials that
    were pruned stopped early, so their quality is no result.
    Raises ValueError when complete trials took different numbers of `steps`, and when a
    configuration has two complete trials with the same `seed`.
    """
    groups: dict[tuple, list[Row]] = {}
    for row in rows:
        groups.setdefault(tuple(row[factor] for factor in factors), []).append(row)
    steps = {row["steps"] for row in rows if row["status"] == "complete"}
    if len(steps) > 1:
        raise ValueError(
            f"trials of {' and '.join(map(str, sorted(steps)))} steps cannot be compared: "
            "summarize those of one length"
        )
    table = [
        _line(dict(zip(factors, levels, strict=True)), trials, measures)
        for levels, trials in groups.items()
    ]
    return sorted(table, key=lambda line: (line["n"] == 0, -(line["mean"] or 0.0)))


def _line(configuration: Row, trials: list[Row], measures: Collection[str]) -> Row:
    complete = [trial for trial in trials if trial["status"] == "complete"]
    if len({trial["seed"] for trial in complete}) < len(complete):
        raise ValueError(f"a seed is there twice for {configuration}: keep one trial of each")
    pruned = sum(trial["status"] == "pruned" for trial in trials)
    qualities = [trial["quality"] for trial in complete]
    mean, low, high = mean_interval(qualities) if qualities else (None, None, None)
    means = {
        name: fmean(trial[name] for trial in complete) if complete else None for name in measures
    }
    return {
        **configuration,
        "n": len(complete),
        "failed": len(trials) - len(complete) - pruned,
        "pruned": pruned,
        "qualities": qualities,
        "mean": mean,
        "low": low,
        "high": high,
        **means,
    }
