"""Hidden tests of exercise 5.7: the p-values of the differences, and their adjustment."""

from autograder.a5.exercise_5_7.sensitivity_study import DEFAULT, FACTORS, rows_of, summary, without
from autograder.a5.study_rows import line
from grader.checking.question import question, refusal

READ = "the docstring of sensitivity"


@question("5.7", weight=2, after=["holm"], advice="twice the tail of Student's t", read=READ)
def test_p_values(its, rng):
    """A p-value is two-sided, from Student's t with the degrees of freedom of all lines."""
    return rows_of(its, summary(rng), "factor", "level") | rows_of(its, summary(rng), "p")


@question("5.7", weight=2, after=["holm"], advice="call `holm` once, with all p-values", read=READ)
def test_adjusted(its, rng):
    """`adjusted` is Holm's method over the p-values of all rows."""
    return rows_of(its, summary(rng), "adjusted")


@question("5.7", 0.5, after=["holm"], beside=["test_p_values", "test_adjusted"], read=READ)
def test_no_default(its, rng):
    """A default without a complete trial raises a ValueError."""
    lines = without(summary(rng))
    cases = {"missing": lines, "failed": [*lines, line(DEFAULT, [], failed=2)]}
    return {n: refusal(lambda c=c: its.sensitivity(c, DEFAULT, FACTORS)) for n, c in cases.items()}
