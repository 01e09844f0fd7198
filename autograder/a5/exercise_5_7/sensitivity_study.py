"""The summary of a small study around a default, whose levels have different numbers of seeds."""

from autograder.a5.study_rows import line

FACTORS = {"n_heads": (2, 4, 8), "dropout": (0.3, 0.0, 0.1), "schedule": ("paper", "cosine")}
DEFAULT = {"n_heads": 4, "dropout": 0.1, "schedule": "paper"}
# The changes of the default, each with its effect and its number of seeds.
CHANGES = {
    ("n_heads", 2): (0.011, 5),
    ("n_heads", 8): (0.021, 4),
    ("dropout", 0.3): (-0.024, 3),
    ("dropout", 0.0): (0.008, 5),
    ("schedule", "cosine"): (0.016, 3),
}
# Around each mean. No two seeds: with them, √(2 / n) is 1 and mistakes look alike.
SPREADS = {3: (1.2, -0.3, -0.9), 4: (-1, 1.3, 0.4, -0.7), 5: (1.1, -0.4, -1.2, 0.8, -0.3)}


def group(mean, n, s):
    return [float(mean + s * spread) for spread in SPREADS[n]]


def summary(rng):
    """The default, its single changes, and two that differ from it in two factors."""
    base = 0.8 + 0.01 * rng.random()
    noise = iter(0.010 + 0.002 * rng.random(8))
    lines = [line({**DEFAULT, "n_heads": 8, "dropout": 0.3}, group(base - 0.09, 3, 0.03))]
    for (factor, level), (effect, n) in CHANGES.items():
        shift, failed = effect + 0.0005 * rng.random(), int(n == 4)
        lines.append(line({**DEFAULT, factor: level}, group(base + shift, n, next(noise)), failed))
    lines.append(line({**DEFAULT, "n_heads": 2, "schedule": "cosine"}, group(base, 4, 0.025)))
    lines.insert(3, line(DEFAULT, group(base, 3, next(noise))))
    return sorted(lines, key=lambda row: -row["mean"])


def without(lines, **changes):
    """The lines but for that of the default with these changes."""
    wanted = {**DEFAULT, **changes}
    return [row for row in lines if any(row[f] != wanted[f] for f in FACTORS)]


def rows_of(its, lines, *columns, level=()):
    """These columns of the effects; the default has a setting that is no factor."""
    rows = its.sensitivity(lines, {"epochs": 4, **DEFAULT}, FACTORS, *level)
    name = f"{list(columns)} of the rows{f', level {level[0]}' if level else ''}"
    return {name: [[row.get(column) for column in columns] for row in rows]}
