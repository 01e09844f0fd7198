"""The visible checks of exercise 5.4: intervals and noise, by hand on small numbers."""

import math

from grader.checking import expect
from grader.checking.exercise import exercise

# Expectations are set like tables: value, causes, hint, section.
# fmt: off

READ = "exercise 5.4"


@exercise("5.4")
def test_interval(student):
    """The interval of 80, 82 and 84: s is 2, and t with 2 degrees of freedom 4.3027."""
    got = expect.parts(student.mean_interval([80.0, 82.0, 84.0]), 3, read=READ)
    half = 4.302652729696142 * 2 / math.sqrt(3)
    expect.close(
        list(got), [82.0, 82.0 - half, 82.0 + half], what="(mean, low, high)",
        otherwise="the mean ± t · s / √n", read=READ)


@exercise("5.4")
def test_one_value(student):
    """With one value the interval is (−∞, ∞)."""
    got = list(expect.parts(student.mean_interval([80.0]), 3, read=READ))
    expect.equal(got, [80.0, -math.inf, math.inf], what="(mean, low, high)", read=READ)


@exercise("5.4")
def test_noise(student):
    """Two configurations far apart, whose seeds differ by 2: s² is (1 + 1 + 1 + 1) / 2."""
    s, degrees = expect.parts(student.pooled_noise([[60.0, 62.0], [90.0, 92.0]]), 2, read=READ)
    expect.close(s, math.sqrt(2), what="s", read=READ,
                 otherwise="each group has its own mean")
    expect.equal(degrees, 2, what="degrees", read=READ)


@exercise("5.4")
def test_detectable(student):
    """With s = 1, two degrees of freedom and two seeds, a difference of 4.30 is the smallest."""
    expect.close(student.detectable_difference(1.0, 2, 2), 4.302652729696142,
                 what="detectable_difference(1.0, 2, 2)", otherwise="t · s · √(2 / n_seeds)",
                 read=READ)
