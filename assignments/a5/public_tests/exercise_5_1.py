"""The visible checks of exercise 5.1: which configurations a study tries."""

from grader.checking import expect
from grader.checking.exercise import exercise

# Expectations are set like tables: value, causes, hint, section.
# fmt: off

FACTORS = {"size": [1, 2, 3], "shape": ["flat", "round"]}
DEFAULT = {"size": 2, "shape": "flat"}
READ = "exercise 5.1"


@exercise("5.1")
def test_one_at_a_time(student):
    """The default, then one change at a time, in the order of factors and levels."""
    right = [DEFAULT, {**DEFAULT, "size": 1}, {**DEFAULT, "size": 3}, {**DEFAULT, "shape": "round"}]
    expect.equal(
        student.one_at_a_time(DEFAULT, FACTORS), right, what="the design",
        otherwise="{**default, factor: level} for each other level", read=READ)


@exercise("5.1", beside=["test_one_at_a_time"])
def test_unknown_level(student):
    """A default that is at none of the levels is an error."""
    expect.raises(lambda: student.one_at_a_time({**DEFAULT, "size": 4}, FACTORS), "ValueError",
                  otherwise="raise ValueError when default[factor] is not a level", read=READ)


@exercise("5.1")
def test_sampled(student):
    """`n` different combinations, without those that are taken; a seed repeats them."""
    first, again = (student.sampled_design(FACTORS, 4, 5, [DEFAULT]) for _ in range(2))
    expect.equal(len(first), 4, what="the number of configurations", read=READ)
    expect.true(
        DEFAULT not in first, expected="no configuration of `taken`", got=f"{DEFAULT}", read=READ,
        otherwise="`taken` has the configurations that will be run anyway")
    expect.true(
        all(first.count(one) == 1 for one in first), expected="different configurations",
        got="one of them twice", otherwise="draw without replacement", read=READ)
    expect.true(
        first == again, expected="the same configurations with the same seed", got="others",
        otherwise="a generator of your own, seeded with `seed`", read=READ)


@exercise("5.1", beside=["test_sampled"])
def test_too_many(student):
    """More configurations than there are combinations are an error."""
    expect.raises(lambda: student.sampled_design(FACTORS, 7, 0), "ValueError",
                  otherwise="there are 6 combinations", read=READ)
