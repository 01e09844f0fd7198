"""The visible checks of exercise 5.7: what a factor does."""

from grader.checking.question import question, refusal

DEFAULT = {"n_layers": 4, "schedule": "paper", "epochs": 3}  # one is no factor
FACTORS = {"n_layers": (2, 8, 4), "schedule": ("paper", "cosine")}


def line(n_layers, schedule, *qualities):
    mean = sum(qualities) / len(qualities) if qualities else None
    row = {"n_layers": n_layers, "schedule": schedule, "n": len(qualities), "mean": mean}
    return {
        **row,
        "failed": 0,
        "pruned": 0,
        "qualities": list(qualities),
        "low": None,
        "high": None,
    }


# The squared deviations sum to 2 + 2 + 2 + 8 = 14, with 6 degrees of freedom.
SUMMARY = [
    line(8, "paper", 74.0, 76.0) | {"failed": 1},
    line(4, "paper", 70.0, 72.0),
    line(4, "cosine", 64.0, 65.0, 66.0),
    line(8, "cosine", 58.0, 60.0, 62.0),
]


def columns(its, *names, level=()):
    rows = its.sensitivity(SUMMARY, DEFAULT, FACTORS, *level)
    return {f"{[*names, *level]} of the rows": [[row.get(name) for name in names] for row in rows]}


@question("5.7", 2, advice="sort, multiply, keep from falling, stop at 1", read="exercise 5.7")
def test_holm(its):
    """A few p-values by hand."""
    return {f"holm({p})": its.holm(p) for p in ([0.02, 0.01, 0.2, 0.021], [0.9, 0.6])}


@question("5.7", 4, builds_on=["holm"], advice="the noise of all, and both n", read="exercise 5.7")
def test_differences(its):
    """Two of three levels have a line: their differences and intervals. The default needs one."""
    lines = [SUMMARY[0], *SUMMARY[2:], line(4, "paper")]
    error = refusal(lambda: its.sensitivity(lines, DEFAULT, FACTORS))
    found = columns(its, "factor", "level") | columns(its, "difference", "low", "high")
    found |= columns(its, "low", "high", level=[0.8])
    return found | {"without a complete trial of the default": error}


@question(
    "5.7", 2, builds_on=["holm"], advice="both tails of Student's t; holm", read="exercise 5.7"
)
def test_p_values(its):
    """The p-values, and how they are adjusted for there being two."""
    return columns(its, "p", "adjusted")
