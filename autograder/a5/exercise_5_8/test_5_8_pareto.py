"""Hidden tests of exercise 5.8: the points that no other point dominates."""

import math

import numpy as np

from autograder.a5.student_side import kept
from grader.checking.question import question, refusal

READ = "the docstring of pareto_front"
ADVICE = "keep a point if none is at least as good in every column and better in one"


def fronts(its, *cases):
    """The front of each list of points."""
    plain = [([tuple(map(float, p)) for p in points], maximize) for points, maximize in cases]
    return {
        f"front {number}, of {len(points)} points with maximize = {maximize}": its.pareto_front(
            points, maximize
        )
        for number, (points, maximize) in enumerate(plain, 1)
    }


@question("5.8", weight=3, advice=ADVICE, read=READ)
def test_quality_against_cost(its, rng):
    """Larger is better in some columns, and smaller in others."""
    ways = [[True, False], [False, True], [True, False, True]] * 3
    cases = [(rng.normal(size=(9, len(way))), way) for way in ways]
    return fronts(its, *cases) | kept(its, its.pareto_front, cases[0][0].tolist(), ways[0])


@question("5.8", advice=ADVICE, read=READ)
def test_equal_in_a_column(its, rng):
    """A point that is equal in one column and worse in another is dominated."""
    a, b, c = sorted(rng.uniform(1, 9, size=3))
    near = [(90.0, 16777217), (90.0, 16777216), (90.000001, 16777218)]  # all stay apart
    return fronts(
        its,
        ([(b, c), (b, b), (c, a + 9), (a, b)], [True, False]),
        ([(a, c), (a, b), (b, b), (b, a)], [False, False]),
        (near, [True, False]),
    )


@question("5.8", advice="equal points do not dominate each other", read=READ)
def test_equal_points(its, rng):
    """Equal points do not dominate each other."""
    a, b, c = sorted(rng.uniform(1, 9, size=3))
    others = [(c + 1, c + 1), (a - 1, a - 1), (c + 0.5, c + 0.5)]  # all of them undominated
    mixed = [(b, b), (c, c), (b, b), (a, c), (c, c), *others]
    return fronts(its, (mixed, [True, False]), ([(a, b), (a, b)], [True, True]))


@question("5.8", advice="in the order of the points", read=READ)
def test_order_and_sizes(its, rng):
    """The indices rise; one column and one point work, too."""
    quality = np.sort(rng.normal(size=7))
    order = [3, *rng.permutation([0, 1, 2, 4, 5, 6])]
    both, one = [(quality[i], float(i)) for i in order], [(quality[i],) for i in order]
    return fronts(
        its, (both, [True, False]), (one, [True]), (one, [False]), ([(0.5, 3.0)], [True, False])
    )


@question(
    "5.8",
    advice="NaN raises ValueError; infinity is compared",
    read=READ,
    beside=["test_quality_against_cost", "test_order_and_sizes", "test_equal_points"],
)
def test_nan(its, rng):
    """A point that contains NaN raises a ValueError; an infinite one is compared like any other."""
    found = {}
    for place in ((0, 0), (2, 1)):
        points = rng.normal(size=(3, 2))
        points[place] = math.nan
        given = points.tolist()
        found[f"NaN at {place}"] = refusal(
            lambda given=given: its.pareto_front(given, [True, False])
        )
    low, high = sorted(rng.uniform(1, 9, size=2))
    endless = [(low, 1.0), (high, math.inf), (-math.inf, 0.5), (low, math.inf)]
    return found | fronts(its, (endless, [True, False]))
