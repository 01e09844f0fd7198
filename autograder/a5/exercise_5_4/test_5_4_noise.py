"""Hidden tests of exercise 5.4: the noise between seeds, and what can be told apart."""

import math

import numpy as np
from scipy import stats

from autograder.a5.exercise_5_4.draws import READ, t, values_of
from grader.checking import expect
from grader.checking.exercise import exercise
from grader.checking.known_mistakes import known_mistakes
from grader.seam import StudentError

MISTAKE = known_mistakes(__file__)


def groups_of(rng):
    """Configurations far apart, with 4, 2, 1 and 3 seeds, and two without any."""
    sizes = [(4, 60.0, 1.0), (2, 75.0, 3.0), (1, 90.0, 1.0), (3, 82.0, 5.0)]
    groups = [values_of(rng, n, centre, spread) for n, centre, spread in sizes]
    return [groups[0], [], *groups[1:], []]


@exercise("5.4", weight=2)
def test_pooled_noise(student, rng):
    """The noise between seeds is pooled over configurations, each around its own mean."""
    groups = groups_of(rng)
    filled = [np.array(group) for group in groups if group]
    everything = np.concatenate(filled)
    squares = sum(float(((g - g.mean()) ** 2).sum()) for g in filled)
    n, degrees = len(everything), len(everything) - len(filled)
    several = [g for g in filled if len(g) > 1]
    variances = [float(g.var(ddof=1)) for g in several]
    s, found = expect.parts(student.pooled_noise(groups), 2, otherwise="(s, degrees)", read=READ)
    expect.close(
        s,
        math.sqrt(squares / degrees),
        otherwise="√(sum of all squared deviations / degrees)",
        what="s",
        read=READ,
    )
    expect.equal(
        found,
        degrees,
        otherwise="the number of values minus the number of groups that are not empty",
        what="degrees",
        read=READ,
    )


@exercise("5.4")
def test_equal_groups(student, rng):
    """Configurations whose seeds agree have no noise, however far apart they are."""
    s, degrees = expect.parts(student.pooled_noise([[60.5] * 3, [90.25] * 2]), 2, read=READ)
    expect.close(s, 0.0, what="s of [[60.5, 60.5, 60.5], [90.25, 90.25]]", read=READ)
    expect.equal(degrees, 3, what="degrees", read=READ)


@exercise("5.4", beside=["test_pooled_noise", "test_equal_groups"])
def test_noise_of_single_values(student, rng):
    """Without a group of two values the noise is unknown."""
    for groups in ([[80.0], [81.5], []], [[], []], []):
        expect.raises(
            lambda groups=groups: student.pooled_noise(groups),
            because=_of_nothing(student, groups),
            otherwise="raise ValueError when no group has two values",
            read=READ,
        )


def _of_nothing(student, groups):
    """What a returned value says of the mistake."""
    try:
        degrees = student.pooled_noise(groups)[1]
    except (StudentError, TypeError, IndexError):
        return ""
    if degrees == 0:
        return MISTAKE.noise_of_single_values
    return "the degrees of freedom count values, although each group uses one for its mean"


@exercise("5.4", weight=2)
def test_detectable_difference(student, rng):
    """The smallest difference that two means of `n_seeds` can show."""
    for degrees, n_seeds, options in ((12, 3, {}), (4, 2, {}), (9, 5, {"level": 0.8})):
        s, level = 4 + float(rng.integers(0, 32)) / 8, options.get("level", 0.95)
        right = t(level, degrees) * s * math.sqrt(2 / n_seeds)
        z = float(stats.norm.ppf((1 + level) / 2))
        wrong = {
            MISTAKE.difference_of_one_mean: (right / math.sqrt(2)),
            MISTAKE.difference_without_seeds: right * math.sqrt(n_seeds),
            MISTAKE.difference_without_root: right * math.sqrt(2 / n_seeds),
            MISTAKE.difference_errors_added: right * math.sqrt(2),
            MISTAKE.difference_normal_quantile: right * z / t(level, degrees),
            MISTAKE.difference_one_sided: right
            * float(stats.t.ppf(level, df=degrees))
            / t(level, degrees),
            "the degrees of freedom are those of n_seeds: use `degrees`, of the pooled noise": (
                right * t(level, n_seeds - 1) / t(level, degrees)
            ),
            MISTAKE.difference_degrees_of_seeds: (
                right * t(level, 2 * n_seeds - 2) / t(level, degrees)
            ),
            "the quantile is missing": s * math.sqrt(2 / n_seeds),
            MISTAKE.difference_level_ignored: right * t(0.95, degrees) / t(level, degrees),
        }
        expect.close(
            student.detectable_difference(s, degrees, n_seeds, **options),
            right,
            otherwise="t · s · √(2 / n_seeds)",
            what=f"detectable_difference({s}, {degrees}, {n_seeds}, level={level})",
            read=READ,
        )
