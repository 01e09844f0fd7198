"""The visible checks of exercise 5.8: quality against cost."""

import numpy as np

from grader.checking.question import question, refusal


@question("5.8", 2.5, advice="look at `maximize` for each column", read="exercise 5.8")
def test_quality_against_seconds(its):
    """The cheapest, the best, one between them, and one for nobody; and fewer is better in both."""
    points = [(80.0, 10.0), (90.0, 60.0), (85.0, 50.0), (84.0, 50.0)]
    fewer = [(3.0, 9.0), (4.0, 5.0), (5.0, 6.0), (1.0, 10.0), (4.0, 5.0)]
    front, both = its.pareto_front(points, [True, False]), its.pareto_front(fewer, [False, False])
    three = [(3.0, 5.0, 7.0), (4.0, 6.0, 7.0), (4.0, 6.0, 8.0)]
    return {
        "quality, seconds": front,
        "the indices are integers": np.asarray(front).dtype.kind in "iu",
        "fewer of both": both,
        "three columns": its.pareto_front(three, [False, False, True]),
    }


@question(
    "5.8", 0.5, corner=True, needs_one_of=["test_quality_against_seconds"], read="exercise 5.8"
)
def test_nan(its):
    """A point that contains NaN raises a ValueError."""
    return refusal(lambda: its.pareto_front([(1.0, 2.0), (float("nan"), 1.0)], [True, False]))
