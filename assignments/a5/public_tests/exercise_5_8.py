"""The visible checks of exercise 5.8: quality against cost."""

from grader.checking import expect
from grader.checking.exercise import exercise

# Expectations are set like tables: value, causes, hint, section.
# fmt: off


def front(student, points, maximize):
    made = student.pareto_front(points, maximize)
    made = made.tolist() if hasattr(made, "tolist") else made
    return list(made) if isinstance(made, tuple) else made


@exercise("5.8")
def test_quality_against_seconds(student):
    """Four configurations: the best, the cheapest, one between them, and one for nobody."""
    points = [(90.0, 60.0), (85.0, 50.0), (80.0, 10.0), (84.0, 55.0)]
    expect.equal(front(student, points, [True, False]), [0, 1, 2], read="exercise 5.8",
                 what="the front of quality (more is better) and seconds (fewer is better)",
                 otherwise="which point beats the last one?")


@exercise("5.8")
def test_every_column_counts(student):
    """The same points, where fewer is better in both columns."""
    expect.equal(front(student, [(3, 9), (4, 5), (5, 6), (1, 10)], [False, False]), [0, 1, 3],
                 what="the front", otherwise="look at `maximize` for each column",
                 read="exercise 5.8")


@exercise("5.8", beside=["test_quality_against_seconds", "test_every_column_counts"])
def test_nan(student):
    """A point that contains NaN raises a ValueError."""
    expect.raises(lambda: student.pareto_front([(1.0, 2.0), (float("nan"), 1.0)], [True, False]),
                  because="NaN is accepted", otherwise="a ValueError", read="exercise 5.8")
