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


@question(
    "5.10", 2.5, advice="the cheapest of those less than `margin` below", read="exercise 5.10"
)
def test_recommendation(its):
    """The cheapest of those that are less than the margin below the best; where none, an error."""
    cases = ((1.0, "train_seconds"), (0.1, "train_seconds"), (20.0, "parameters"))
    nothing = {
        "failed": refusal(lambda: its.recommend([SUMMARY[0], SUMMARY[-1]], 1.0, cases[0][1]))
    }
    return {f"{m}, {cost}": its.recommend(SUMMARY, m, cost) for m, cost in cases} | nothing


@question("5.10", 2, advice="draw all means with s / √n", read="exercise 5.10", atol=0.03, rtol=0)
def test_chances(its):
    """Equal means have equal chances; one that is far ahead has them all."""
    rng = its.make("np.random.default_rng(1)")
    cases = {(90.0, 90.0, 90.0): (4, 4, 4), (90.0, 120.0): (4, 4), (90.0, 91.5, 91.0): (4, 16, 2)}
    return {f"{m}, n {n}": its.chance_of_being_best([*m], 3.0, [*n], rng) for m, n in cases.items()}


@question("5.10", advice="draw from `rng` only", read="exercise 5.10")
def test_only_the_generator(its):
    """Equal generators give equal shares, and others give others."""
    one, again, other = (
        its.chance_of_being_best([90.0] * 8, 2.0, [4] * 8, its.make(f"np.random.default_rng({n})"))
        for n in (1, 1, 2)
    )
    return {
        "equal generators give equal shares": bool(np.array_equal(one, again)),
        "another generator gives other shares": not np.array_equal(one, other),
    }
