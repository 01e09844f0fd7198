"""The visible checks of exercise 5.7: what a factor does."""

from grader.checking import expect
from grader.checking.exercise import exercise

# Expectations are set like tables: value, causes, hint, section.
# fmt: off

DEFAULT = {"n_layers": 4, "schedule": "paper"}
FACTORS = {"n_layers": (2, 4, 8), "schedule": ("paper", "cosine")}


def line(n_layers, schedule, *qualities):
    mean = sum(qualities) / len(qualities) if qualities else None
    return {"n_layers": n_layers, "schedule": schedule, "n": len(qualities), "failed": 0,
            "pruned": 0, "qualities": list(qualities), "mean": mean, "low": None, "high": None}


# The squared deviations sum to 4 · 2 = 8, with 4 degrees of freedom: the noise is √2.
SUMMARY = [line(8, "paper", 74.0, 76.0), line(4, "paper", 70.0, 72.0),
           line(4, "cosine", 69.0, 71.0), line(8, "cosine", 60.0, 62.0)]


def rows_of(student, summary=SUMMARY):
    made = student.sensitivity(summary, DEFAULT, FACTORS)
    expect.true(isinstance(made, list) and all(isinstance(one, dict) for one in made),
                expected="a list of dicts", got=type(made).__name__, read="exercise 5.7")
    return made


@exercise("5.7")
def test_holm(student):
    """Three p-values by hand."""
    expect.close(student.holm([0.02, 0.01, 0.2]), [0.04, 0.03, 0.2], what="holm([0.02, 0.01, 0.2])",
                 otherwise="the smallest of three counts three times", read="exercise 5.7")
    expect.close(student.holm([0.9, 0.6]), [1.0, 1.0], what="holm([0.9, 0.6])",
                 otherwise="a probability is at most 1", read="exercise 5.7")


@exercise("5.7", after=["holm"])
def test_which_rows(student):
    """Two of the three other levels have a configuration."""
    expect.equal([[row["factor"], row["level"]] for row in rows_of(student)],
                 [["n_layers", 8], ["schedule", "cosine"]], what="[factor, level] of the rows",
                 otherwise="all other factors have the default's levels", read="exercise 5.7")


@exercise("5.7", after=["holm"])
def test_differences(student):
    """The differences from the default, with their intervals."""
    for row, want in zip(rows_of(student), (4.0, -1.0), strict=True):
        name = f"{row['factor']} = {row['level']}"
        expect.close(row["difference"], want, what=f"the difference for {name}",
                     read="exercise 5.7")
        # t is 2.7764 with 4 degrees of freedom, and the standard error √2
        expect.close([row["low"], row["high"]], [want - 3.92648, want + 3.92648], atol=1e-4,
                     what=f"[low, high] for {name}", read="exercise 5.7",
                     otherwise="the noise of all configurations, and both numbers of seeds")


@exercise("5.7", after=["holm"])
def test_p_values(student):
    """The p-values, and how they are adjusted for there being two."""
    rows = rows_of(student)
    expect.close([row["p"] for row in rows], [0.0474207, 0.5185185], atol=1e-4, what="p",
                 otherwise="both tails of Student's t", read="exercise 5.7")
    expect.close([row["adjusted"] for row in rows], [0.0948414, 0.5185185], atol=1e-4,
                 what="adjusted", otherwise="your `holm`, over all rows", read="exercise 5.7")


@exercise("5.7", after=["holm"], beside=["test_which_rows", "test_differences", "test_p_values"])
def test_no_default(student):
    """Without a complete trial of the default there is nothing to compare with."""
    summary = [one for one in SUMMARY if one["n_layers"] != 4 or one["schedule"] != "paper"]
    expect.raises(lambda: student.sensitivity([*summary, line(4, "paper")], DEFAULT, FACTORS),
                  because="a default without a mean is accepted", otherwise="a ValueError",
                  read="exercise 5.7")
