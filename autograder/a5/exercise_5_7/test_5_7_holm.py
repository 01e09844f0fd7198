"""Hidden tests of exercise 5.7: p-values adjusted for their number."""

from grader.checking.question import question

READ = "the docstring of holm"
ADVICE = "sort them upwards, multiply the i-th by m − i, keep them from falling, stop at 1"


@question("5.7", weight=4.5, advice=ADVICE, read=READ)
def test_holm_in_the_order_given(its, rng):
    """Sorted p-values are multiplied by m, m − 1, …, never fall, end at 1, and keep their place."""
    given = [0.030, 0.002, 0.210, 0.012, 0.0005, 0.050, 0.0125]
    return {"adjusted": its.holm(given), "at most 1": its.holm([0.03, 0.35, 0.6, 0.7, 0.9])}


@question(
    "5.7", weight=0.5, corner=True, advice="without p-values there is nothing to adjust", read=READ
)
def test_holm_of_a_few(its, rng):
    """One p-value stays as it is, equal ones stay equal, and none gives an empty list."""
    one, equal = its.holm([0.04]), its.holm([0.02, 0.3, 0.02, 0.02])
    return {"one": one, "equal ones": equal, "number for none": len(its.holm([]))}
