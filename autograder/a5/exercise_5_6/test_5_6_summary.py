"""Hidden tests of exercise 5.6: the table of a study, one line for each configuration."""

from autograder.a5.exercise_5_6.summary_study import DONE, TRIALS, lines_of
from grader.checking.question import question

READ = "the docstring of summarize"
RESULTS = "`mean_interval` of the qualities of the complete trials, in the order of the rows"


@question("5.6", weight=3, advice="count the trials of each `status`", read=READ)
def test_counts(its, rng):
    """Each configuration has one line, where complete, failed and pruned trials are counted."""
    without = lines_of(its, "mean", rows=[row for row in TRIALS if row not in DONE])
    return without | lines_of(its, "n", "failed", "pruned", rows=TRIALS)


@question("5.6", weight=4, advice=RESULTS, read=READ)
def test_means(its, rng):
    """Qualities, mean and interval are those of the complete trials."""
    return lines_of(its, "qualities", "mean", "low", "high")
