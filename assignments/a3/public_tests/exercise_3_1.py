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
    """An odd width ends with a sine."""
    return its.sinusoidal_positions(2, 3)


@question("3.1", beside=["test_small_table", "test_odd_width"], read="exercise 3.1")
def test_dtype(its):
    """The table is float32."""
    return str(its.sinusoidal_positions(2, 4).dtype)
