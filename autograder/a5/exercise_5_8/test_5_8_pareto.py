"""Hidden tests of exercise 5.8: the points that no other point dominates."""

import math

from grader.checking.question import question, refusal

READ = "the docstring of pareto_front"
ADVICE = "keep a point if none is at least as good in every column and better in one"


def fronts(its, *cases):
    """The front of each list of points, in their order."""
    return {f"front {n}, maximize {m}": its.pareto_front(p, m) for n, (p, m) in enumerate(cases, 1)}


@question("5.8", weight=3, advice=ADVICE, read=READ)
def test_quality_against_cost(its, rng):
    """Larger is better in some columns, and smaller in others; one column and one point work."""
    ways = [[True, False], [False, True], [True, False, True]] * 3 + [[True], [False]]
    cases = [(rng.normal(size=(9, len(way))).tolist(), way) for way in ways]
    return fronts(its, *cases, ([(0.5, 3.0)], [True, False]))


@question("5.8", advice=ADVICE, read=READ)
def test_equal_in_a_column(its, rng):
    """A point that is equal in one column and worse in another is dominated."""
    near = [(90.0, 16777217.0), (90.0, 16777216.0), (90.000001, 16777218.0)]  # all stay apart
    return fronts(
        its,
        ([(3.0, 7.0), (3.0, 3.0), (7.0, 10.0), (2.0, 3.0)], [True, False]),
        ([(2.0, 7.0), (2.0, 3.0), (3.0, 3.0), (3.0, 2.0)], [False, False]),
        (near, [True, False]),
    )


@question("5.8", advice="equal points do not dominate each other", read=READ)
def test_equal_points(its, rng):
    """Equal points do not dominate each other."""
    others = [(8.0, 8.0), (1.0, 1.0), (7.5, 7.5)]  # all of them undominated
    mixed = [(3.0, 3.0), (7.0, 7.0), (3.0, 3.0), (2.0, 7.0), (7.0, 7.0), *others]
    return fronts(its, (mixed, [True, False]), ([(2.0, 3.0)] * 2, [True, True]))


@question("5.8", corner=True, advice="NaN raises ValueError; infinity is compared", read=READ)
def test_nan(its, rng):
    """A point that contains NaN raises a ValueError; an infinite one is compared like any other."""
    endless = [(3.0, 1.0), (7.0, math.inf), (-math.inf, 0.5), (3.0, math.inf)]
    found = fronts(its, (endless, [True, False]))
    for bad in ((math.nan, 2.0), (2.0, math.nan)):
        points = [bad, (1.0, 1.0), bad[::-1]]
        found[f"{points}"] = refusal(lambda given=points: its.pareto_front(given, [True, False]))
    return found
