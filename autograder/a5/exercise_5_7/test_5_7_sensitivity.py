"""Hidden tests of exercise 5.7: what changing one factor changes, and how sure that is."""

from autograder.a5.exercise_5_7.sensitivity_study import DEFAULT, rows_of, summary, without
from autograder.a5.study_rows import line
from grader.checking.question import question

READ = "the docstring of sensitivity"
ROWS = "one row for each other level of each factor, with all other factors at default"


@question("5.7", weight=2, after=["holm"], advice=ROWS, read=READ)
def test_rows(its, rng):
    """There is one row for each other level of each factor."""
    return rows_of(its, summary(rng), "factor", "level")


@question("5.7", after=["holm"], advice="leave out what has no complete trial", read=READ)
def test_missing_configurations(its, rng):
    """Levels without a line or without a complete trial are left out."""
    some = without(summary(rng), dropout=0.3)
    failed = [*some, line({**DEFAULT, "dropout": 0.3}, [], failed=3)]
    return {
        f"{case}, {name}": rows
        for case, lines in (("missing", some), ("failed", failed))
        for columns in (("factor", "level"), ("p",))
        for name, rows in rows_of(its, lines, *columns).items()
    }


@question("5.7", weight=2, after=["holm"], advice="that mean minus the default's", read=READ)
def test_differences(its, rng):
    """A difference is the mean of the configuration minus that of the default."""
    return rows_of(its, summary(rng), "difference")


@question("5.7", 2, after=["holm"], advice="difference ± t · s · √(1/n + 1/n_default)", read=READ)
def test_intervals(its, rng):
    """The intervals rest on the pooled noise, and on both numbers of seeds."""
    lines = summary(rng)
    return rows_of(its, lines, "low", "high") | rows_of(its, lines, "low", "high", level=[0.8])
