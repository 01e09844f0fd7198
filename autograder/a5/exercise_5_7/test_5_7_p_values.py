"""Hidden tests of exercise 5.7: the p-values of the differences, and their adjustment."""

import numpy as np
from scipy import stats

from autograder.a5.exercise_5_7.sensitivity_study import (
    DEFAULT,
    FACTORS,
    READ,
    adjusted,
    at,
    effects,
    errors_of,
    present,
    row_of,
    summary,
)
from autograder.a5.study_rows import line
from grader.checking import expect
from grader.checking.exercise import exercise
from grader.checking.known_mistakes import known_mistakes

MISTAKE = known_mistakes(__file__)


@exercise("5.7", weight=2, after=["holm"])
def test_p_values(student, rng):
    """A p-value is two-sided, from Student's t with the degrees of freedom of all lines."""
    lines = summary(rng)
    rows, _ = effects(student, lines)
    for factor, level in present(lines):
        error, degrees, wrong = errors_of(lines, factor, level)
        difference = at(lines, **{factor: level})["mean"] - at(lines)["mean"]

        def p(error, degrees, difference=difference):
            return 2 * stats.t.sf(abs(difference) / error, degrees)

        expect.close(
            row_of(rows, factor, level)["p"],
            p(error, degrees),
            otherwise="twice the tail of Student's t beyond |difference| / standard error",
            read=READ,
            what=f"p for {factor} = {level}",
        )


@exercise("5.7", weight=2, after=["holm"])
def test_adjusted(student, rng):
    """`adjusted` is Holm's method over the p-values of all rows."""
    lines = summary(rng)
    _, made = effects(student, lines)
    p = np.array([row["p"] for row in made], dtype=float)
    found = [row["adjusted"] for row in made]
    own = student.holm(p.tolist())
    if found == list(own):
        return  # whether that is Holm's method, the tests of `holm` decide
    factors = [row["factor"] for row in made]
    by_factor = np.empty(len(p))
    for factor in FACTORS:
        place = [i for i, name in enumerate(factors) if name == factor]
        by_factor[place] = adjusted(p[place])
    expect.close(
        found,
        adjusted(p),
        otherwise="call `holm` once, with the p-values of all rows",
        read=READ,
        what="adjusted",
    )


@exercise("5.7", after=["holm"], beside=["test_p_values", "test_adjusted"])
def test_no_default(student, rng):
    """A default without a complete trial raises a ValueError."""
    lines = [row for row in summary(rng) if row is not at([row])]
    for given, because in (
        (lines, MISTAKE.sensitivity_failed_default),
        (
            [*lines, line(DEFAULT, [], failed=2)],
            "a default whose trials have all failed is accepted: it has no mean",
        ),
    ):
        expect.raises(
            lambda given=given: student.sensitivity(given, DEFAULT, FACTORS),
            because=because,
            otherwise="raise a ValueError if the default has no complete trial",
            read=READ,
        )
