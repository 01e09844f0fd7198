"""Hidden tests of exercise 5.6: the table of a study, one line for each configuration."""

import math

import numpy as np
from scipy import stats

from autograder.a5.exercise_5_6.summary_study import READ, lines_of, of, study
from autograder.a5.study_rows import interval
from grader.checking import expect
from grader.checking.exercise import exercise
from grader.checking.known_mistakes import known_mistakes

MISTAKE = known_mistakes(__file__)


@exercise("5.6")
def test_lines(student, rng):
    """Each configuration has one line, with its levels."""
    rows = study(rng)
    lines_of(student, rows)
    expect.equal(
        len(lines_of(student, of(rows, (4, "cosine")) + of(rows, (8, "cosine")))),
        2,
        read=READ,
        what="the number of lines without any complete trial",
    )


@exercise("5.6", weight=2)
def test_counts(student, rng):
    """Complete, failed and pruned trials are counted."""
    rows = study(rng)
    for levels, made in lines_of(student, rows).items():
        n, pruned = len(of(rows, levels, "complete")), len(of(rows, levels, "pruned"))
        failed, diverged = len(of(rows, levels)) - n - pruned, len(of(rows, levels, "diverged"))
        expect.equal(
            [made[key] for key in ("n", "failed", "pruned")],
            [n, failed, pruned],
            causes={
                MISTAKE.summary_failed_dropped: [n, 0, pruned],
                MISTAKE.summary_failed_only_diverged: [
                    n, diverged, pruned,
                ],
                MISTAKE.summary_pruned_as_failed: [
                    n, failed + pruned, pruned,
                ],
                "pruned trials count as failed, and `pruned` is 0": [n, failed + pruned, 0],
                "n counts pruned trials: only those that reached the end": [
                    n + pruned, failed, pruned,
                ],
                MISTAKE.summary_n_counts_all: [n + failed + pruned, failed, pruned],
            },
            otherwise="count the trials of each `status`",
            read=READ,
            what=f"[n, failed, pruned] of {levels}",
        )  # fmt: skip


@exercise("5.6", weight=2)
def test_means(student, rng):
    """The mean and the qualities are those of the complete trials, in the order of the rows."""
    rows = study(rng)
    for levels, made in lines_of(student, rows).items():
        own = [row["quality"] for row in of(rows, levels, "complete")]
        if not own:
            continue
        early = [row["quality"] for row in of(rows, levels, "complete", "pruned")]
        zeros = [row.get("quality", 0.0) for row in of(rows, levels) if row["status"] != "pruned"]
        everything = [row.get("quality", 0.0) for row in of(rows, levels)]
        lists = {
            MISTAKE.summary_failed_as_zero: zeros,
            MISTAKE.summary_pruned_averaged: early,
            "failed and pruned trials are averaged in: only complete ones count": everything,
        }
        expect.close(
            made["mean"],
            np.mean(own),
            causes={
                **{name: np.mean(values) for name, values in lists.items()},
                MISTAKE.summary_best_seed: max(own),
                MISTAKE.summary_median: np.median(own),
                "the last seed, not the mean over the seeds": own[-1],
                "divided by the number of all trials": sum(own) / len(everything),
            },
            otherwise="average the qualities of the complete trials",
            read=READ,
            what=f"the mean of {levels}",
        )
        expect.close(
            made["qualities"],
            own,
            causes={
                **lists,
                MISTAKE.summary_qualities_sorted: sorted(own),
                "the qualities are sorted, best first: keep the order of the rows": sorted(own)[
                    ::-1
                ],
            },
            otherwise="the qualities of the complete trials, in the order of the rows",
            read=READ,
            what=f"the qualities of {levels}",
        )


@exercise("5.6", weight=2)
def test_intervals(student, rng):
    """`low` and `high` are the 95 % interval of the mean; with one seed it has no ends."""
    rows = study(rng)
    for levels, made in lines_of(student, rows).items():
        own = [row["quality"] for row in of(rows, levels, "complete")]
        if not own:
            continue
        n, total, mean = len(own), len(of(rows, levels)), float(np.mean(own))
        s, t = (float(np.std(own, ddof=1)), stats.t.ppf(0.975, n - 1)) if n > 1 else (0.0, 0.0)

        def around(wide, mean=mean):
            return [mean - wide, mean + wide]

        expect.close(
            [made["low"], made["high"]],
            interval(own)[1:],
            causes={
                MISTAKE.summary_interval_of_all_trials: around(t * s / math.sqrt(total)),
                "n and the degrees of freedom count all trials: only complete ones": around(
                    stats.t.ppf(0.975, max(total - 1, 1)) * s / math.sqrt(total)
                ),
                MISTAKE.summary_range_for_interval: [min(own), max(own)],
                "the standard error, without the factor t": around(s / math.sqrt(n)),
                "the interval is not around the mean, but around the best seed": [
                    max(own) + end - mean for end in interval(own)[1:]
                ],
                "with one seed nothing is known about the spread: −∞ and ∞": around(0.0),
            },
            otherwise="call `mean_interval` on the qualities of the complete trials",
            read=READ,
            what=f"[low, high] of {levels} with n = {n}",
        )
