"""Hidden tests of exercise 1.2: the share of the variance that a line explains."""

from grader.checking.question import question

ADVICE = "one minus the squared residuals over the squared distances from the mean"


@question("1.2", advice=ADVICE, read="§2")
def test_fresh_points(its, rng):
    """Points drawn for this course: between 0 and 1."""
    x = rng.normal(size=15)
    return its.explained(x, 2 * x + rng.normal(size=15) + 3)
