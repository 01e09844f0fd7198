"""Hidden tests of exercise 5.7: p-values adjusted for their number."""

import numpy as np

from autograder.a5.exercise_5_7.sensitivity_study import adjusted, in_place
from autograder.a5.study_rows import answered
from grader.checking import expect
from grader.checking.exercise import exercise
from grader.checking.known_mistakes import known_mistakes

MISTAKE = known_mistakes(__file__)

READ = "the docstring of holm"
OTHERWISE = "sort them upwards, multiply the i-th by m − i, keep them from falling, stop at 1"


def not_rising(p):
    return p


def smallest_from_here(p):
    return np.minimum.accumulate(p[::-1])[::-1]


def mistakes(p_values):
    p = np.asarray(p_values, dtype=float)
    m, holm = len(p), adjusted(p)
    return {
        MISTAKE.holm_bonferroni: np.minimum(m * p, 1),
        MISTAKE.holm_falls: in_place(p, lambda p, m, i: (m - i) * p, not_rising),
        MISTAKE.holm_sorted: np.sort(holm),
        MISTAKE.holm_above_one: in_place(p, lambda p, m, i: (m - i) * p, limit=np.inf),
        MISTAKE.holm_factor_too_small: in_place(p, lambda p, m, i: (m - i - 1) * p),
        MISTAKE.holm_factor_too_large: in_place(p, lambda p, m, i: (m - i + 1) * p),
        MISTAKE.holm_factor_reversed: in_place(p, lambda p, m, i: (i + 1) * p),
        "the minimum from the end: that is Hochberg's method": in_place(
            p, lambda p, m, i: (m - i) * p, smallest_from_here
        ),
        MISTAKE.holm_false_discovery_rate: in_place(
            p, lambda p, m, i: m / (i + 1) * p, smallest_from_here
        ),
        "the p-values are not adjusted": p,
        MISTAKE.holm_not_sorted_first: np.minimum(np.maximum.accumulate((m - np.arange(m)) * p), 1),
    }


def compare(student, p_values):
    made = answered(lambda: student.holm(list(p_values)), OTHERWISE, READ)
    expect.close(
        list(made) if isinstance(made, tuple) else made,
        adjusted(p_values),
        otherwise=OTHERWISE,
        read=READ,
        what=f"holm({[round(float(p), 4) for p in p_values]})",
    )


def jittered(rng, *p_values):
    return [float(p * (1 + 0.01 * rng.random())) for p in p_values]


@exercise("5.7")
def test_holm_rising(student, rng):
    """The sorted p-values are multiplied by m, m − 1, … and never fall."""
    compare(student, jittered(rng, 0.001, 0.010, 0.012, 0.030, 0.110, 0.400))


@exercise("5.7")
def test_holm_in_the_order_given(student, rng):
    """Each adjusted p-value stands in the place of its own."""
    compare(student, jittered(rng, 0.030, 0.002, 0.210, 0.012, 0.0005, 0.050))


@exercise("5.7")
def test_holm_at_most_one(student, rng):
    """No adjusted p-value is larger than 1."""
    compare(student, jittered(rng, 0.03, 0.35, 0.6, 0.7, 0.9))


@exercise("5.7", weight=0.5)
def test_holm_of_a_few(student, rng):
    """One p-value stays as it is, equal ones stay equal, and none gives an empty list."""
    compare(student, jittered(rng, 0.04))
    (p,) = jittered(rng, 0.02)
    compare(student, [p, 0.3, p, p])
    made = answered(lambda: student.holm([]), "without p-values there is nothing to adjust", READ)
    expect.true(
        hasattr(made, "__len__") and len(made) == 0,
        expected="an empty list for no p-values",
        got=f"{made!r}",
        otherwise="without p-values there is nothing to adjust",
        read=READ,
    )
