"""The visible checks of exercise 5.10: the recommendation."""

import numpy as np

from grader.checking import expect
from grader.checking.exercise import exercise

# Expectations are set like tables: value, causes, hint, section.
# fmt: off


def line(name, mean, seconds, n=3, failed=0):
    return {"name": name, "n": n, "failed": failed, "pruned": 0, "qualities": [mean] * n,
            "mean": mean if n else None, "train_seconds": seconds if n else None}


SUMMARY = [line("fragile", 92.0, 20.0, failed=1), line("best", 91.0, 90.0),
           line("as good", 90.5, 40.0), line("poor", 80.0, 10.0), line("broken", 0.0, 0.0, n=0)]


@exercise("5.10")
def test_recommendation(student):
    """The cheapest of those that are less than a point below the best."""
    made = student.recommend(SUMMARY, 1.0, "train_seconds")
    expect.true(made in SUMMARY, expected="a row of the summary", got=type(made).__name__,
                otherwise="return the whole row", read="exercise 5.10")
    expect.equal(made["name"], "as good", what="the recommended row", read="exercise 5.10",
                 )
    expect.equal(student.recommend(SUMMARY, 0.1, "train_seconds")["name"], "best",
                 what="with a margin of 0.1", read="exercise 5.10")


@exercise("5.10", beside=["test_recommendation"])
def test_nothing_to_recommend(student):
    """Where every configuration has failed trials, a ValueError says so."""
    expect.raises(lambda: student.recommend([SUMMARY[0], SUMMARY[-1]], 1.0, "train_seconds"),
                  because="a configuration with failed trials is taken", otherwise="a ValueError",
                  read="exercise 5.10")


def shares(student, means, seed, **options):
    made = student.chance_of_being_best(
        means, 2.0, [4] * len(means), student.make(f"np.random.default_rng({seed})"), **options)
    expect.shape(made, (len(means),), what="the shares", read="exercise 5.10")
    return np.asarray(made)


@exercise("5.10")
def test_chances(student):
    """Equal means have equal chances; one that is far ahead has them all."""
    third = 1 / 3
    expect.by_chance(shares(student, [90.0] * 3, 1), [third] * 3,
                     (third * (1 - third) / 10_000) ** 0.5, what="the shares of equal means",
                     otherwise="draw all means anew in each repeated study", read="exercise 5.10")
    expect.close(shares(student, [90.0, 120.0], 2), [0.0, 1.0], what="the shares of 90 and 120",
                 otherwise="the higher mean is better", read="exercise 5.10")


@exercise("5.10")
def test_only_the_generator(student):
    """Equal generators give equal shares, and others give others."""
    first, again, other = (shares(student, [90.0] * 8, seed) for seed in (1, 1, 2))
    expect.close(again, first, what="the shares of a second, equal generator",
                 otherwise="draw from `rng` only", read="exercise 5.10")
    expect.true(not np.array_equal(first, other), expected="other shares from another generator",
                got="the same", otherwise="draw from `rng`", read="exercise 5.10")
