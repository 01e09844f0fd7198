"""Hidden tests of exercise 5.7: what changing one factor changes, and how sure that is."""

from autograder.a5.study_rows import line
from grader.checking.question import question, refusal

FACTORS = {"n_heads": (2, 4, 8), "dropout": (0.3, 0.0, 0.1), "schedule": ("paper", "cosine")}
DEFAULT = {"n_heads": 4, "dropout": 0.1, "schedule": "paper"}
# The default, its single changes, and two that differ from it in two factors. None has two seeds:
# with them, √(2 / n) is 1 and mistakes look alike.
LINES = [
    line(dict(zip(FACTORS, levels, strict=True)), list(qualities), failed)
    for failed, levels, *qualities in (
        (1, (8, 0.1, "paper"), 81.5, 83.7, 82.9, 81.9),
        (0, (4, 0.1, "cosine"), 83.1, 81.7, 81.2),
        (0, (2, 0.1, "paper"), 82.4, 80.9, 80.1, 82.0, 81.3),
        (0, (4, 0.0, "paper"), 82.1, 80.6, 79.9, 81.6, 80.8),
        (0, (4, 0.1, "paper"), 81.3, 80.2, 79.6),
        (0, (2, 0.1, "cosine"), 77.5, 83.2, 81.0, 78.6),
        (0, (4, 0.3, "paper"), 79.3, 77.5, 76.7),
        (0, (8, 0.3, "paper"), 74.9, 70.4, 68.6),
    )
]
HOLM = "the docstring of holm"
STEPS = "sort them upwards, multiply the i-th by m − i, keep them from falling, stop at 1"
READ = "the docstring of sensitivity"
P_VALUES = "twice the tail of Student's t; call `holm` once, with all p-values"


def without(**changes):
    """The lines but for that of the default with these changes."""
    wanted = {**DEFAULT, **changes}
    return [row for row in LINES if any(row[f] != wanted[f] for f in FACTORS)]


def rows_of(its, *columns, lines=LINES, level=()):
    """These columns of the effects; the default has a setting that is no factor."""
    rows = its.sensitivity(lines, {"epochs": 4, **DEFAULT}, FACTORS, *level)
    name = f"{list(columns)} of the rows{f', level {level[0]}' if level else ''}"
    return {name: [[row.get(column) for column in columns] for row in rows]}


@question("5.7", weight=4.5, advice=STEPS, read=HOLM)
def test_holm_in_the_order_given(its, rng):
    """Sorted p-values are multiplied by m, m − 1, …, never fall, end at 1, and keep their place."""
    given = [0.030, 0.002, 0.210, 0.012, 0.0005, 0.050, 0.0125]
    return {"adjusted": its.holm(given), "at most 1": its.holm([0.03, 0.35, 0.6, 0.7, 0.9])}


@question(
    "5.7", weight=0.5, corner=True, advice="without p-values there is nothing to adjust", read=HOLM
)
def test_holm_of_a_few(its, rng):
    """One p-value stays as it is, equal ones stay equal, and none gives an empty list."""
    one, equal = its.holm([0.04]), its.holm([0.02, 0.3, 0.02, 0.02])
    return {"one": one, "equal ones": equal, "number for none": len(its.holm([]))}


@question("5.7", weight=4, builds_on=["holm"], advice=P_VALUES, read=READ)
def test_adjusted(its, rng):
    """p-values are two-sided, with the degrees of all lines; `adjusted` is Holm's over all rows."""
    return rows_of(its, "factor", "level", "p") | rows_of(its, "adjusted")


@question("5.7", 0.5, builds_on=["holm"], needs_one_of=["test_adjusted"], read=READ)
def test_no_default(its, rng):
    """A default without a complete trial raises a ValueError."""
    cases = {"missing": without(), "failed": [*without(), line(DEFAULT, [], failed=2)]}
    return {n: refusal(lambda c=c: its.sensitivity(c, DEFAULT, FACTORS)) for n, c in cases.items()}


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
