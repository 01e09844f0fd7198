"""Hidden tests of exercise 5.4: intervals, and the noise between seeds."""

from grader.checking.question import question, refusal

READ = "the docstring of 5.4"
VALUES = [81.25, 77.5, 90.0, 73.0, 84.75, 79.5, 88.0, 71.5]


@question("5.4", weight=4, advice="mean ± t · s / √n, the quantile of (1 + level) / 2", read=READ)
def test_interval(its, rng):
    """The mean and its interval, for two, three and eight seeds, and for equal ones."""
    found = {f"95 % for {n} values": its.mean_interval(VALUES[:n]) for n in (3, 2, 8)}
    found |= {f"level {level}": its.mean_interval(VALUES[3:], level) for level in (0.8, 0.99)}
    return found | {"equal values": its.mean_interval([75.0] * 4)}


@question("5.4", weight=1.5, corner=True, advice="look at the number of values first", read=READ)
def test_one_value(its, rng):
    """One value says nothing about the spread: (−∞, ∞); no values at all are an error."""
    return {
        "the interval of one value": its.mean_interval([75.0]),
        "no values": refusal(lambda: its.mean_interval([])),
    }


@question("5.4", weight=3.5, advice="√(sum of all squared deviations / degrees)", read=READ)
def test_pooled_noise(its, rng):
    """The noise between seeds is pooled over configurations, each around its own mean."""
    groups = [[59.5, 61.25, 60.0, 58.75], [], [78.0, 73.5], [90.0], [82.0, 88.5, 77.0], []]
    return {"(s, degrees)": its.pooled_noise(groups)}


@question(
    "5.4",
    corner=True,
    advice="no group has two values: raise ValueError",
    read=READ,
    needs_one_of=["test_pooled_noise"],
)
def test_noise_of_single_values(its, rng):
    """Without a group of two values the noise is unknown."""
    several = ([[80.0], [81.5], []], [[], []], [])
    return {
        f"{groups}": refusal(lambda groups=groups: its.pooled_noise(groups)) for groups in several
    }


@question("5.4", weight=3, advice="t · s · √(2 / n_seeds)", read=READ)
def test_detectable_difference(its, rng):
    """The smallest difference that two means of `n_seeds` can show."""
    cases = ((12, 3), (4, 2), (9, 5, 0.8))
    return {f"degrees, n_seeds, level {c}": its.detectable_difference(5.5, *c) for c in cases}
