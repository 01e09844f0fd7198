"""The visible checks of exercise 5.10: the recommendation."""

import numpy as np

from grader.checking.question import question, refusal


def line(name, mean, seconds, n=3, failed=0):
    row = {"name": name, "n": n, "failed": failed, "pruned": 0, "qualities": [mean] * n}
    measured = {"mean": mean, "train_seconds": seconds, "parameters": -seconds}
    return row | (measured if n else dict.fromkeys(measured))


SUMMARY = [
    line("fragile", 92.0, 20.0, failed=1),
    line("best", 91.0, 90.0),
    line("as good", 90.5, 40.0),
    line("poor", 80.0, 10.0),
    line("broken", 0.0, 0.0, n=0),
]


@question("5.10", 3, advice="the cheapest of those less than `margin` below", read="exercise 5.10")
def test_recommendation(its):
    """The cheapest of those that are less than the margin below the best; where none, an error."""
    cases = ((1.0, "train_seconds"), (0.1, "train_seconds"), (20.0, "parameters"))
    nothing = {
        "failed": refusal(lambda: its.recommend([SUMMARY[0], SUMMARY[-1]], 1.0, cases[0][1]))
    }
    return {f"{m}, {cost}": its.recommend(SUMMARY, m, cost) for m, cost in cases} | nothing


@question("5.10", 3, advice="draw all means with s / √n", read="exercise 5.10", atol=0.03, rtol=0)
def test_chances(its):
    """Equal means have equal chances, one far ahead has them all; only `rng` decides the draws."""

    def chances(means, n_seeds, seed=1):
        rng = its.make(f"np.random.default_rng({seed})")
        return np.asarray(its.chance_of_being_best(means, 3.0, n_seeds, rng))

    cases = [([90.0] * 3, [4] * 3), ([120.0, 90.0], [4, 4]), ([90.0, 91.5, 91.0], [4, 16, 2])]
    one, again, other = (chances([90.0] * 8, [4] * 8, seed).tolist() for seed in (1, 1, 2))
    return {f"means and n {case}": chances(*case) for case in cases} | {
        "equal generators give equal shares": one == again,
        "another generator gives other shares": one != other,
    }
