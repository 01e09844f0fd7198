"""Hidden tests of exercise 5.7: what changing one factor changes, and how sure that is."""

from scipy import stats

from autograder.a5.exercise_5_7.sensitivity_study import (
    DEFAULT,
    FACTORS,
    READ,
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


def check_rows(student, lines, because=""):
    rows, made = effects(student, lines, because=because)
    found = [(row["factor"], row["level"]) for row in made]
    wanted = present(lines)
    others = [
        (factor, row[factor])
        for row in lines
        for factor in FACTORS
        if row["n"] and row[factor] != DEFAULT[factor]
    ]
    because = because if ("dropout", 0.3) in found and ("dropout", 0.3) not in wanted else ""
    if any(row["level"] == DEFAULT.get(row["factor"]) for row in made):
        because = MISTAKE.sensitivity_default_itself
    elif len(found) > len(wanted) and set(found) == set(others):
        because = MISTAKE.sensitivity_two_factors
    elif found != wanted and sorted(map(str, found)) == sorted(map(str, wanted)):
        because = MISTAKE.sensitivity_rows_sorted
    expect.equal(
        found,
        wanted,
        because=because,
        otherwise="one row for each other level of each factor, with all other factors at default",
        read=READ,
        what="(factor, level) of the rows",
    )
    return rows


@exercise("5.7", weight=2, after=["holm"])
def test_rows(student, rng):
    """There is one row for each other level of each factor."""
    check_rows(student, summary(rng))


@exercise("5.7", after=["holm"])
def test_missing_configurations(student, rng):
    """Levels without a line or without a complete trial are left out."""
    lines = summary(rng)
    check_rows(student, lines)
    some = [row for row in lines if row is not at(lines, dropout=0.3)]
    failed = line({**DEFAULT, "dropout": 0.3}, [], failed=3)
    for given, because in (
        (some, MISTAKE.sensitivity_missing_level),
        ([*some, failed], MISTAKE.sensitivity_without_trials),
    ):
        rows = check_rows(student, given, because)
        error, degrees, _ = errors_of(given, "n_heads", 8)
        difference = at(given, n_heads=8)["mean"] - at(given)["mean"]
        expect.close(
            row_of(rows, "n_heads", 8)["p"],
            2 * stats.t.sf(abs(difference) / error, degrees),
            otherwise="leave out only what has no complete trial",
            read=READ,
            what="p of n_heads = 8",
        )


@exercise("5.7", weight=2, after=["holm"])
def test_differences(student, rng):
    """A difference is the mean of the configuration minus that of the default."""
    lines = summary(rng)
    rows, _ = effects(student, lines)
    base = at(lines)["mean"]
    for factor, level in present(lines):
        mean = at(lines, **{factor: level})["mean"]
        expect.close(
            row_of(rows, factor, level)["difference"],
            mean - base,
            otherwise="mean of the changed configuration minus mean of the default",
            read=READ,
            what=f"the difference for {factor} = {level}",
        )


@exercise("5.7", weight=2, after=["holm"])
def test_intervals(student, rng):
    """The intervals rest on the pooled noise, and on both numbers of seeds."""
    lines = summary(rng)
    for level in (0.95, 0.8):
        rows, _ = effects(student, lines, *([] if level == 0.95 else [level]))
        for factor, other in present(lines):
            row = row_of(rows, factor, other)
            error, degrees, wrong = errors_of(lines, factor, other)

            def wide(error, degrees, at=(1 + level) / 2):
                return error * stats.t.ppf(at, degrees)

            causes = {name: wide(*pair) for name, pair in wrong.items()}
            causes["one standard error, without the factor t"] = error
            causes[MISTAKE.sensitivity_one_sided_quantile] = wide(error, degrees, level)
            if level != 0.95:
                causes[MISTAKE.sensitivity_level_ignored] = wide(error, degrees, 0.975)
            mean = at(lines, **{factor: other})["mean"] - at(lines)["mean"]
            expect.close(
                [row["low"], row["high"]],
                [mean - wide(error, degrees), mean + wide(error, degrees)],
                otherwise="difference ± t · s · √(1/n + 1/n_default)",
                read=READ,
                what=f"[low, high] for {factor} = {other} at level {level}",
            )  # fmt: skip
