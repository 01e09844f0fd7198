"""The visible checks of exercise 5.4: intervals and noise, by hand on small numbers."""

from grader.checking.question import question


@question("5.4", 2, advice="the mean ± t · s / √n", read="exercise 5.4")
def test_interval(its):
    """The interval of 80, 81 and 85: s is √7, and t with 2 degrees of freedom 4.3027 or 1.8856."""
    values = [80.0, 81.0, 85.0]
    return {"(mean, low, high)": its.mean_interval(values), "80 %": its.mean_interval(values, 0.8)}


@question("5.4", 0.5, advice="one value says nothing about the spread", read="exercise 5.4")
def test_one_value(its):
    """With one value the interval is (−∞, ∞)."""
    return {"(mean, low, high)": its.mean_interval([80.0])}


@question("5.4", 2, advice="each group has its own mean", read="exercise 5.4")
def test_noise(its):
    """Configurations far apart: s² is (1 + 1 + 4 + 4 + 16) / 3, and one has no seed."""
    return {"(s, degrees)": its.pooled_noise([[60.0, 62.0], [90.0, 90.0, 96.0], [], [75.0]])}


@question("5.4", 2, advice="t · s · √(2 / n_seeds)", read="exercise 5.4")
def test_detectable(its):
    """With s = 1 and 5 degrees of freedom, three seeds: t is 2.5706."""
    return {
        "95 %": its.detectable_difference(1.0, 5, 3),
        "90 %": its.detectable_difference(1.0, 5, 3, 0.9),
    }
