"""Hidden tests of exercise 3.1: the table of sinusoids."""

from grader.checking.question import question

READ = "§3.5, the two formulas for PE"
LOOK = "print the first rows and compare them with the formula, feature by feature"


@question("3.1", advice=LOOK, read=READ)
def test_odd_width(its):
    """Sines at even features, cosines at odd ones; an odd d_model ends with a sine; float32."""
    tables = [its.sinusoidal_positions(*size) for size in ((6, 5), (4, 1), (5, 7))]
    return {"the tables": tables, "dtypes": [str(table.dtype) for table in tables]}


# an angle near 2000, rounded to float32, is off by up to 1e-4
@question("3.1", weight=2, atol=4e-3, advice="whole numbers up to 2100 must be exact", read=READ)
def test_a_long_table(its):
    """Two thousand positions, accurate up to rounding."""
    return its.sinusoidal_positions(2100, 32)
