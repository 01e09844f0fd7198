"""Hidden tests of exercise 5.7: what changing one factor changes, and how sure that is."""

from autograder.a5.exercise_5_7.sensitivity_study import DEFAULT, rows_of, without
from autograder.a5.study_rows import line
from grader.checking.question import question

READ = "the docstring of sensitivity"


@question("5.7", builds_on=["holm"], advice="leave out what has no complete trial", read=READ)
def test_missing_configurations(its, rng):
    """Levels without a line or without a complete trial are left out."""
    some = without(dropout=0.3)
    failed = [*some, line({**DEFAULT, "dropout": 0.3}, [], failed=3)]
    return [rows_of(its, "factor", "level", "p", lines=lines) for lines in (some, failed)]


@question(
    "5.7", 4, builds_on=["holm"], advice="difference ± t · s · √(1/n + 1/n_default)", read=READ
)
def test_intervals(its, rng):
    """One row for each other level: its difference, and an interval of the pooled noise."""
    ends = rows_of(its, "low", "high") | rows_of(its, "low", "high", level=[0.8])
    return rows_of(its, "factor", "level", "difference") | ends
