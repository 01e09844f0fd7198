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
            otherwise="average the qualities of the complete trials",
            read=READ,
            what=f"the mean of {levels}",
        )
        expect.close(
            made["qualities"],
            own,
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
            otherwise="call `mean_interval` on the qualities of the complete trials",
            read=READ,
            what=f"[low, high] of {levels} with n = {n}",
        )
