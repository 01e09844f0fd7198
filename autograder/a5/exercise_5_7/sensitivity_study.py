"""The summary of a small study around a default, and what changing one factor does there."""

import math

import numpy as np
from scipy import stats

from autograder.a5.study_rows import answered, line, table
from grader.checking import expect
from grader.checking.known_mistakes import known_mistakes

MISTAKE = known_mistakes(__file__)

READ = "the docstring of sensitivity"
FACTORS = {"n_heads": (2, 4, 8), "dropout": (0.3, 0.0, 0.1), "schedule": ("paper", "cosine")}
DEFAULT = {"n_heads": 4, "dropout": 0.1, "schedule": "paper"}
KEYS = ("factor", "level", "difference", "low", "high", "p", "adjusted")
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
    """The default, its single changes, and two that differ from it in two factors.

    They are drawn until every mistake in the standard error changes every answer.
    """
    for _ in range(10_000):
        lines = _drawn(rng)
        if all(_told_apart(lines, *change) for change in present(lines)):
            return lines
    raise RuntimeError("no such lines were found")


def _told_apart(lines, factor, level):
    """Whether the interval's width and the p-value of this row differ from those of mistakes."""
    error, degrees, wrong = errors_of(lines, factor, level)
    errors, dfs = np.array([(error, degrees), *wrong.values()]).T
    difference = abs(at(lines, **{factor: level})["mean"] - at(lines)["mean"])
    found = [2 * stats.t.sf(difference / errors, dfs)]
    found += [100 * errors * stats.t.ppf(q, dfs) for q in (0.975, 0.9)]
    return all(np.abs(values[1:] - values[0]).min() > 0.005 for values in found)


def _drawn(rng):
    base = 0.8 + 0.01 * rng.random()
    noise = iter(0.010 + 0.002 * rng.random(8))
    lines = [line({**DEFAULT, "n_heads": 8, "dropout": 0.3}, group(base - 0.09, 3, 0.03))]
    for (factor, level), (effect, n) in CHANGES.items():
        shift = effect + 0.0005 * rng.random()
        lines.append(line({**DEFAULT, factor: level}, group(base + shift, n, next(noise))))
    lines.append(line({**DEFAULT, "n_heads": 2, "schedule": "cosine"}, group(base, 4, 0.025)))
    lines.insert(3, line(DEFAULT, group(base, 3, next(noise))))
    return sorted(lines, key=lambda row: -row["mean"])


def at(lines, **changes):
    """The line of the default with these changes, if there is one."""
    wanted = {**DEFAULT, **changes}
    return next((row for row in lines if all(row[f] == wanted[f] for f in FACTORS)), None)


def pooled(lines):
    groups = [np.asarray(row["qualities"]) for row in lines if row["n"]]
    degrees = sum(len(own) - 1 for own in groups)
    return math.sqrt(sum(((own - own.mean()) ** 2).sum() for own in groups) / degrees), degrees


def effects(student, lines, *level, because=""):
    """The rows by factor and level, in their order."""
    made = answered(
        lambda: student.sensitivity(lines, DEFAULT, FACTORS, *level),
        "look up the line of each changed configuration; it may be missing, or have n = 0",
        READ,
        because=because,
    )
    made = table(made, KEYS, READ)
    return {(row["factor"], row["level"]): row for row in made}, made


def row_of(rows, factor, level):
    """The row of one change."""
    expect.true(
        (factor, level) in rows,
        expected=f"a row for {factor} = {level}",
        got=f"rows for {', '.join(f'{name} = {other}' for name, other in rows)}",
        otherwise="one row for each other level of each factor",
        read=READ,
    )
    return rows[factor, level]


def present(lines):
    """The changes of the default that have a line with a complete trial."""
    found = []
    for factor, levels in FACTORS.items():
        for level in levels:
            own = at(lines, **{factor: level})
            if level != DEFAULT[factor] and own and own["n"]:
                found.append((factor, level))
    return found


def errors_of(lines, factor, level):
    """Standard error and degrees of freedom: the right ones, and those of some mistakes."""
    own, base = at(lines, **{factor: level}), at(lines)
    both = 1 / own["n"] + 1 / base["n"]
    s, degrees = pooled(lines)
    near, near_degrees = pooled([row for row in lines if _changes(row) < 2])
    pair, pair_degrees = pooled([own, base])
    spread = [np.std(row["qualities"], ddof=1) ** 2 / row["n"] for row in (own, base)]
    one_n = {MISTAKE.sensitivity_one_n_for_both: (s * math.sqrt(2 / own["n"]), degrees)}
    return s * math.sqrt(both), degrees, {
        MISTAKE.sensitivity_without_default_n: (
            s / math.sqrt(own["n"]), degrees,
        ),
        MISTAKE.sensitivity_error_without_n: (s, degrees),
        "s · (1/n + 1/n_default) without the root": (s * both, degrees),
        MISTAKE.sensitivity_noise_of_two: (
            pair * math.sqrt(both), pair_degrees,
        ),
        "the noise of the two configurations, unpooled: pool that of all of `summary`": (
            math.sqrt(sum(spread)), pair_degrees,
        ),
        MISTAKE.sensitivity_noise_of_single_changes: (
            near * math.sqrt(both), near_degrees,
        ),
        "the degrees of freedom are those of the two configurations": (
            s * math.sqrt(both), pair_degrees,
        ),
        MISTAKE.sensitivity_normal_p: (s * math.sqrt(both), math.inf),
        **(one_n if own["n"] != base["n"] else {}),
    }  # fmt: skip


def _changes(row):
    return sum(row[factor] != DEFAULT[factor] for factor in FACTORS)


def adjusted(p_values):
    """Holm's adjusted p-values."""
    return in_place(p_values, lambda p, m, i: (m - i) * p)


def in_place(p_values, multiplied, rising=np.maximum.accumulate, limit=1.0):
    """Multiply the sorted p-values, let them rise, limit them, and put them back."""
    p = np.asarray(p_values, dtype=float)
    order = np.argsort(p, kind="stable")
    made = np.empty(len(p))
    made[order] = np.minimum(rising(multiplied(p[order], len(p), np.arange(len(p)))), limit)
    return made
