"""Hidden tests of exercise 5.7: p-values adjusted for their number."""

from autograder.a5.student_side import kept
from grader.checking.question import question

READ = "the docstring of holm"
ADVICE = "sort them upwards, multiply the i-th by m − i, keep them from falling, stop at 1"


def jittered(rng, *p_values):
    return [float(p * (1 + 0.01 * rng.random())) for p in p_values]


@question("5.7", weight=2, advice=ADVICE, read=READ)
def test_holm_rising(its, rng):
    """The sorted p-values are multiplied by m, m − 1, … and never fall."""
    return {"adjusted": its.holm(jittered(rng, 0.001, 0.010, 0.012, 0.030, 0.110, 0.400))}


@question("5.7", weight=1.5, advice=ADVICE, read=READ)
def test_holm_in_the_order_given(its, rng):
    """Each adjusted p-value is in the place of its own."""
    given = jittered(rng, 0.030, 0.002, 0.210, 0.012, 0.0005, 0.050)
    return {"adjusted": its.holm(given)} | kept(its, its.holm, given)


@question("5.7", advice=ADVICE, read=READ)
def test_holm_at_most_one(its, rng):
    """No adjusted p-value is larger than 1."""
    return {"adjusted": its.holm(jittered(rng, 0.03, 0.35, 0.6, 0.7, 0.9))}


@question("5.7", weight=0.5, advice="without p-values there is nothing to adjust", read=READ)
def test_holm_of_a_few(its, rng):
    """One p-value stays as it is, equal ones stay equal, and none gives an empty list."""
    (p,) = jittered(rng, 0.02)
    one, equal = its.holm([2 * p]), its.holm([p, 0.3, p, p])
    return {"one": one, "equal ones": equal, "number for none": len(its.holm([]))}
