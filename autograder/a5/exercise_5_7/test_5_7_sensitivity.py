"""Hidden tests of exercise 5.7: what changing one factor changes, and how sure that is."""

from autograder.a5.exercise_5_7.sensitivity_study import DEFAULT, rows_of, without
from autograder.a5.study_rows import line
from grader.checking.question import question

READ = "the docstring of sensitivity"
ROWS = "one row for each other level of each factor, its mean minus the default's"


@question("5.7", after=["holm"], advice="leave out what has no complete trial", read=READ)
def test_missing_configurations(its, rng):
    """Levels without a line or without a complete trial are left out."""
    some = without(dropout=0.3)
    failed = [*some, line({**DEFAULT, "dropout": 0.3}, [], failed=3)]
    return [rows_of(its, "factor", "level", "p", lines=lines) for lines in (some, failed)]


@question("5.7", weight=4, after=["holm"], advice=ROWS, read=READ)
def test_differences(its, rng):
    """There is one row for each other level of each factor, with its difference."""
    return rows_of(its, "factor", "level", "difference")


@question("5.7", 2, after=["holm"], advice="difference ± t · s · √(1/n + 1/n_default)", read=READ)
def test_intervals(its, rng):
    """The intervals rest on the pooled noise, and on both numbers of seeds."""
    return rows_of(its, "low", "high") | rows_of(its, "low", "high", level=[0.8])
