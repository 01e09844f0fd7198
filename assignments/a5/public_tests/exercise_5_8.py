"""The visible checks of exercise 5.8: quality against cost."""

from grader.checking.question import question, refusal


@question("5.8", 1.5, advice="which point beats the last one?", read="exercise 5.8")
def test_quality_against_seconds(its):
    """Four configurations: the cheapest, the best, one between them, and one for nobody."""
    points = [(80.0, 10.0), (90.0, 60.0), (85.0, 50.0), (84.0, 50.0)]
    return {"the front": its.pareto_front(points, [True, False])}


@question("5.8", advice="look at `maximize` for each column", read="exercise 5.8")
def test_every_column_counts(its):
    """Points where fewer is better in both columns."""
    points = [(3.0, 9.0), (4.0, 5.0), (5.0, 6.0), (1.0, 10.0), (4.0, 5.0)]
    return {"the front": its.pareto_front(points, [False, False])}


@question(
    "5.8",
    0.5,
    advice="NaN cannot be compared",
    read="exercise 5.8",
    beside=["test_quality_against_seconds", "test_every_column_counts"],
)
def test_nan(its):
    """A point that contains NaN raises a ValueError."""
    return refusal(lambda: its.pareto_front([(1.0, 2.0), (float("nan"), 1.0)], [True, False]))
