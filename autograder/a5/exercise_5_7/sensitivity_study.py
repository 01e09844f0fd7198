"""The summary of a small study around a default, whose levels have different numbers of seeds."""

from autograder.a5.study_rows import line

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


def without(**changes):
    """The lines but for that of the default with these changes."""
    wanted = {**DEFAULT, **changes}
    return [row for row in LINES if any(row[f] != wanted[f] for f in FACTORS)]


def rows_of(its, *columns, lines=LINES, level=()):
    """These columns of the effects; the default has a setting that is no factor."""
    rows = its.sensitivity(lines, {"epochs": 4, **DEFAULT}, FACTORS, *level)
    name = f"{list(columns)} of the rows{f', level {level[0]}' if level else ''}"
    return {name: [[row.get(column) for column in columns] for row in rows]}
