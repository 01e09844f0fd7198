"""The visible checks of exercise 5.4: intervals and noise, by hand on small numbers."""

from grader.checking.question import question


@question("5.4", 2.5, advice="the mean ± t · s / √n", read="exercise 5.4")
def test_interval(its):
    """The interval of 80, 81 and 85: s is √7, and t with 2 degrees of freedom 4.3027 or 1.8856."""
    cases = {"95 %": ([80.0, 81.0, 85.0],), "80 %": ([80.0, 81.0, 85.0], 0.8), "one": ([80.0],)}
    return {f"(mean, low, high), {name}": its.mean_interval(*c) for name, c in cases.items()}


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
