"""Summaries of small studies."""

from autograder.a5.reference import mean_interval


def line(configuration, qualities, failed=0, **measured):
    """The line of a configuration, as `summarize` makes it."""
    row = {**configuration, "n": len(qualities), "failed": failed, "pruned": 0}
    mean, low, high = mean_interval(qualities) if qualities else (None, None, None)
    return {**row, "qualities": qualities, "mean": mean, "low": low, "high": high, **measured}
