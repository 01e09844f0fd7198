"""Hidden tests of exercise 5.7: the p-values of the differences, and their adjustment."""

from autograder.a5.exercise_5_7.sensitivity_study import DEFAULT, FACTORS, rows_of, without
from autograder.a5.study_rows import line
from grader.checking.question import question, refusal

READ = "the docstring of sensitivity"
ADVICE = "twice the tail of Student's t; call `holm` once, with all p-values"


@question("5.7", weight=4, builds_on=["holm"], advice=ADVICE, read=READ)
def test_adjusted(its, rng):
    """p-values are two-sided, with the degrees of all lines; `adjusted` is Holm's over all rows."""
    return rows_of(its, "factor", "level", "p") | rows_of(its, "adjusted")


@question("5.7", 0.5, builds_on=["holm"], needs_one_of=["test_adjusted"], read=READ)
def test_no_default(its, rng):
    """A default without a complete trial raises a ValueError."""
    cases = {"missing": without(), "failed": [*without(), line(DEFAULT, [], failed=2)]}
    return {n: refusal(lambda c=c: its.sensitivity(c, DEFAULT, FACTORS)) for n, c in cases.items()}
