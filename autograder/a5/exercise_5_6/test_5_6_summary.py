"""Hidden tests of exercise 5.6: the table of a study, one line for each configuration."""

from autograder.a5.exercise_5_6.summary_study import FACTORS, lines_of, study
from autograder.a5.student_side import kept
from grader.checking.question import question

READ = "the docstring of summarize"


@question("5.6", advice="one line for each combination of the factors' levels", read=READ)
def test_lines(its, rng):
    """Each configuration has one line, with its levels."""
    rows = study(rng)
    stopped = [row for row in rows if row["status"] != "complete"]
    found = {
        name: sorted(str([line.get(f) for f in FACTORS]) for line in its.summarize(given, FACTORS))
        for name, given in (("all levels", rows), ("levels of stopped trials", stopped))
    }
    return found | kept(its, its.summarize, rows, list(FACTORS))


@question("5.6", weight=2, advice="count the trials of each `status`", read=READ)
def test_counts(its, rng):
    """Complete, failed and pruned trials are counted."""
    return lines_of(its, study(rng), "n", "failed", "pruned")


@question("5.6", weight=2, advice="those of the complete trials, in their order", read=READ)
def test_means(its, rng):
    """The mean and the qualities are those of the complete trials, in the order of the rows."""
    rows = study(rng)
    return lines_of(its, rows, "qualities") | lines_of(its, rows, "mean")


@question("5.6", weight=2, advice="call `mean_interval` on the qualities", read=READ)
def test_intervals(its, rng):
    """`low` and `high` are the 95 % interval of the mean; with one seed it has no ends."""
    return lines_of(its, study(rng), "low", "high")
