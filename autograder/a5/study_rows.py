"""Trials and summaries of small studies."""

from autograder.a5.reference import mean_interval


def trial(configuration, seed, quality=None, status="complete", steps=400, **measured):
    """The row of one trial; without a quality it has neither that nor steps."""
    row = {**configuration, "seed": seed, "status": status, **measured}
    return row if quality is None else {**row, "steps": steps, "quality": quality}


def line(configuration, qualities, failed=0, **measured):
    """The line of a configuration, as `summarize` makes it."""
    row = {**configuration, "n": len(qualities), "failed": failed, "pruned": 0}
    mean, low, high = mean_interval(qualities) if len(qualities) else (None, None, None)
    return {**row, "qualities": list(qualities), "mean": mean, "low": low, "high": high, **measured}
