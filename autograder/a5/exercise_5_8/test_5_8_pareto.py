"""Hidden tests of exercise 5.8: the points that no other point dominates."""

import functools
import math

import numpy as np

from autograder.a5.study_rows import answered, indices
from grader.checking import expect
from grader.checking.exercise import exercise
from grader.checking.known_mistakes import known_mistakes

MISTAKE = known_mistakes(__file__)

READ = "the docstring of pareto_front"


def dominates(a, b):
    """At least as good in every column, and better in one."""
    return all(x >= y for x, y in zip(a, b, strict=True)) and a != b


def strictly(a, b):
    return all(x > y for x, y in zip(a, b, strict=True))


def at_least(a, b):
    return all(x >= y for x, y in zip(a, b, strict=True))


def anywhere(a, b):
    return any(x > y for x, y in zip(a, b, strict=True))


def front(points, maximize, beats=dominates):
    gains = [
        tuple(x if up else -x for x, up in zip(p, maximize, strict=True)) for p in points
    ]  # higher is better
    return [
        i
        for i, own in enumerate(gains)
        if not any(beats(other, own) for j, other in enumerate(gains) if j != i)
    ]


def best_in_a_column(points, maximize):
    columns = list(zip(*points, strict=True))
    best = [(max if up else min)(own) for own, up in zip(columns, maximize, strict=True)]
    return [i for i, p in enumerate(points) if any(x == y for x, y in zip(p, best, strict=True))]


def mistakes(points, maximize):
    want = front(points, maximize)
    first = [i for i in want if points[i] not in points[:i]]
    best = sorted(want, key=lambda i: -points[i][0])
    return {
        MISTAKE.pareto_all_maximized: front(points, [True] * len(maximize)),
        MISTAKE.pareto_all_minimized: front(points, [False] * len(maximize)),
        MISTAKE.pareto_maximize_inverted: front(points, [not up for up in maximize]),
        MISTAKE.pareto_strict_in_all: front(points, maximize, strictly),
        MISTAKE.pareto_equal_points_remove_each_other: front(points, maximize, at_least),
        MISTAKE.pareto_one_of_equal_points: first,
        MISTAKE.pareto_best_of_each_column: best_in_a_column(points, maximize),
        MISTAKE.pareto_better_anywhere: front(points, maximize, anywhere),
        MISTAKE.pareto_dominated_returned: [i for i in range(len(points)) if i not in want],
        MISTAKE.pareto_sorted_by_quality: best,
        "the indices count from 1": [i + 1 for i in want],
    }


def _listed(made):
    return made if isinstance(made, (list, tuple)) else []


def compare(student, points, maximize, signs=()):
    points = [tuple(map(float, p)) for p in points]
    made = answered(
        lambda: student.pareto_front(points, maximize),
        "compare every point with every other one, column by column",
        READ,
        signs,
    )
    values = [points[i] for i in front(points, maximize)]
    found = [tuple(p) if isinstance(p, (list, tuple)) else p for p in _listed(made)]
    expect.true(
        found != values,
        expected="indices of the points",
        got="the points themselves",
        read=READ,
    )
    expect.equal(
        indices(made, "the front", READ),
        front(points, maximize),
        otherwise="keep a point if no other one is at least as good in every column and better "
        "in one",
        read=READ,
        what=f"the front of {len(points)} points with maximize = {list(maximize)}",
    )


def told_apart(draw, maximize):
    """Points on which every mistake gives another front, except those about ties."""
    for _ in range(10_000):
        points = [tuple(map(float, p)) for p in draw()]
        want = front(points, maximize)
        wrong = [found for name, found in mistakes(points, maximize).items() if "equal" not in name]
        different = {tuple(found) for found in [want, *wrong]}
        if 3 <= len(want) < len(points) - 1 and len(different) == 1 + len(wrong):
            return points
    raise RuntimeError("no such points were found")


@exercise("5.8", weight=2)
def test_quality_against_cost(student, rng):
    """Larger is better in some columns, and smaller in others."""
    for maximize in ([True, False], [False, True], [True, False, True]):
        draw = functools.partial(rng.normal, size=(9, len(maximize)))
        compare(student, told_apart(draw, maximize), maximize)


@exercise("5.8")
def test_equal_in_a_column(student, rng):
    """A point that is equal in one column and worse in another is dominated."""
    a, b, c = sorted(rng.uniform(1, 9, size=3))
    # against the second point, the first loses in column 1 alone, and the last in column 0 alone
    compare(student, [(b, c), (b, b), (c, a + 9), (a, b)], [True, False])
    compare(student, [(a, c), (a, b), (b, b), (b, a)], [False, False])


@exercise("5.8")
def test_equal_points(student, rng):
    """Equal points do not dominate each other."""
    a, b, c = sorted(rng.uniform(1, 9, size=3))
    others = [(c + 1, c + 1), (a - 1, a - 1), (c + 0.5, c + 0.5)]  # all of them undominated
    compare(student, [(b, b), (c, c), (b, b), (a, c), (c, c), *others], [True, False])
    compare(student, [(a, b), (a, b)], [True, True])


@exercise("5.8")
def test_order_and_sizes(student, rng):
    """The indices rise; one column and one point work, too."""
    quality = np.sort(rng.normal(size=7))
    order = rng.permutation(7)
    while list(order) in (sorted(order), sorted(order)[::-1]):
        order = rng.permutation(7)
    # quality and cost rise together: the whole list is the front
    compare(student, [(quality[i], float(i)) for i in order], [True, False])
    compare(student, [(q,) for q in quality[order]], [True])
    compare(student, [(q,) for q in quality[order]], [False])
    compare(student, [(0.5, 3.0)], [True, False])


@exercise("5.8")
def test_nan(student, rng):
    """A point that contains NaN raises a ValueError; an infinite one is compared like any other."""
    for place in ((0, 0), (2, 1)):
        points = rng.normal(size=(3, 2)).tolist()
        points[place[0]][place[1]] = float("nan")
        expect.raises(
            lambda points=points: student.pareto_front(points, [True, False]),
            otherwise="raise a ValueError if a point contains NaN",
            read=READ,
        )
    low, high = sorted(rng.uniform(1, 9, size=2))
    endless = [(low, 1.0), (high, math.inf), (-math.inf, 0.5), (low, math.inf)]
    refused = [("ValueError", "", MISTAKE.pareto_infinity_refused)]
    compare(student, endless, [True, False], refused)
