"""The table of a study: one line per configuration, over its seeds."""

from collections.abc import Collection
from statistics import fmean

from .intervals import mean_interval
from .trial import Row


def summarize(
    rows: Collection[Row], factors: Collection[str], measures: Collection[str] = ()
) -> list[Row]:
    """One row per configuration, the best mean quality first.

    Each has the `factors`, `n` (the complete trials), `failed` and `pruned` (trials of that
    `status`; every status but "complete" and "pruned" counts as failed), `qualities` (of the
    complete trials, in the order of `rows`), and their `mean`, `low` and `high` (the 95 % interval
    of `mean_interval`), and under its own name the mean of each of `measures` over the complete
    trials; all of these are None where `n` is 0, and these configurations come last. Trials that
    were pruned stopped early, so their quality is no result; the row of one that failed may lack
    `steps`, `quality` and `measures`.
    Raises ValueError when complete trials took different numbers of `steps`, and when a
    configuration has two complete trials with the same `seed`.
    """
    steps = {row["steps"] for row in rows if row["status"] == "complete"}
    if len(steps) > 1:
        raise ValueError(
            f"trials of {' and '.join(map(str, sorted(steps)))} steps cannot be compared: "
            "summarize those of one length"
        )
    groups: dict[tuple, list[Row]] = {}
    for row in rows:
        groups.setdefault(tuple(row[factor] for factor in factors), []).append(row)
    table = []
    for levels, trials in groups.items():
        line: Row = dict(zip(factors, levels, strict=True))
        complete = [trial for trial in trials if trial["status"] == "complete"]
        if len({trial["seed"] for trial in complete}) < len(complete):
            raise ValueError(f"a seed is there twice for {line}: keep one trial of each")
        pruned = sum(trial["status"] == "pruned" for trial in trials)
        qualities = [trial["quality"] for trial in complete]
        mean, low, high = mean_interval(qualities) if complete else (None, None, None)
        line.update(n=len(complete), failed=len(trials) - len(complete) - pruned, pruned=pruned)
        line.update(qualities=qualities, mean=mean, low=low, high=high)
        for name in measures:
            line[name] = fmean(trial[name] for trial in complete) if complete else None
        table.append(line)
    return sorted(table, key=lambda line: (line["n"] == 0, -(line["mean"] or 0.0)))
