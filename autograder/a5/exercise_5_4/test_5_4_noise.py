"""Hidden tests of exercise 5.4: the noise between seeds, and what can be told apart."""

from autograder.a5.exercise_5_4.test_5_4_intervals import READ, values_of
from grader.checking.question import question, refusal

BESIDE = ["test_pooled_noise", "test_equal_groups"]


@question("5.4", weight=3, advice="√(sum of all squared deviations / degrees)", read=READ)
def test_pooled_noise(its, rng):
    """The noise between seeds is pooled over configurations, each around its own mean."""
    sizes = [(4, 60.0, 1.0), (2, 75.0, 3.0), (1, 90.0, 1.0), (3, 82.0, 5.0)]
    groups = [values_of(rng, *size) for size in sizes]
    return {"(s, degrees)": its.pooled_noise([groups[0], [], *groups[1:], []])}


@question("5.4", weight=0.5, advice="each group has its own mean", read=READ)
def test_equal_groups(its, rng):
    """Configurations whose seeds agree have no noise, however far apart they are."""
    return {"(s, degrees)": its.pooled_noise([[60.5] * 3, [90.25] * 2])}


@question("5.4", advice="no group has two values: raise ValueError", read=READ, beside=BESIDE)
def test_noise_of_single_values(its, rng):
    """Without a group of two values the noise is unknown."""
    several = ([[80.0], [81.5], []], [[], []], [])
    return {
        f"{groups}": refusal(lambda groups=groups: its.pooled_noise(groups)) for groups in several
    }


@question("5.4", weight=3, advice="t · s · √(2 / n_seeds)", read=READ)
def test_detectable_difference(its, rng):
    """The smallest difference that two means of `n_seeds` can show."""
    s = 4 + float(rng.integers(0, 32)) / 8
    return {
        "12 degrees, 3 seeds": its.detectable_difference(s, 12, 3),
        "4 degrees, 2 seeds": its.detectable_difference(s, 4, 2),
        "9 degrees, 5 seeds, level 0.8": its.detectable_difference(s, 9, 5, level=0.8),
    }
