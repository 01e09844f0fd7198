"""The visible checks of exercise 3.1: sinusoidal positions."""

from grader.checking.question import question


@question(
    "3.1", advice="sin(pos / 10000^(2i/d_model)) in feature 2i, the cosine in 2i + 1", read="§3.5"
)
def test_small_table(its):
    """Three positions of four features, as in the formula."""
    return its.sinusoidal_positions(3, 4)


@question("3.1", advice="one more sine than cosines", read="exercise 3.1")
def test_odd_width(its):
    """An odd width ends with a sine; the table is one of float32."""
    table = its.sinusoidal_positions(12, 3)  # long enough to show the slowest wave
    return {"the table": table, "its dtype": str(table.dtype)}
