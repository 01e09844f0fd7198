"""Hidden tests of exercise 1.1: the line of least squares."""

from grader.checking.question import question


@question("1.1", advice="the covariance of x and y over the variance of x", read="§1")
def test_fresh_points(its, rng):
    """Points drawn for this course: slope and intercept."""
    slope, intercept = its.fit_line(rng.normal(size=12), rng.normal(size=12))
    return {"slope": slope, "intercept": intercept}
