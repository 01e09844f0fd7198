"""Hidden tests of exercise 5.4: confidence intervals from Student's t."""

from grader.checking.question import question, refusal

READ = "the docstring of 5.4"
VALUES = [81.25, 77.5, 90.0, 73.0, 84.75, 79.5, 88.0, 71.5]


@question("5.4", weight=4, advice="mean ± t · s / √n, the quantile of (1 + level) / 2", read=READ)
def test_interval(its, rng):
    """The mean and its interval, for two, three and eight seeds, and for equal ones."""
    found = {f"95 % for {n} values": its.mean_interval(VALUES[:n]) for n in (3, 2, 8)}
    found |= {f"level {level}": its.mean_interval(VALUES[3:], level) for level in (0.8, 0.99)}
    return found | {"equal values": its.mean_interval([75.0] * 4)}


@question("5.4", weight=1.5, corner=True, advice="look at the number of values first", read=READ)
def test_one_value(its, rng):
    """One value says nothing about the spread: (−∞, ∞); no values at all are an error."""
    return {
        "the interval of one value": its.mean_interval([75.0]),
        "no values": refusal(lambda: its.mean_interval([])),
    }
