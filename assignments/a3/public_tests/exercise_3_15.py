"""The visible checks of exercise 3.15: how much data."""

import numpy as np

from grader.checking import expect
from grader.checking.exercise import exercise

# Expectations are set like tables: value, causes, hint, section.
# fmt: off


@exercise("3.15")
def test_nested(student):
    """Smaller subsets lie inside larger ones, and keep the class proportions."""
    labels = [0] * 60 + [1] * 20
    got = student.nested_subsets(labels, [0.1, 1.0, 0.5], student.make("np.random.default_rng(3)"))
    tenth, whole, half = (np.asarray(p) for p in expect.parts(
        got, 3, otherwise="one array of indices per fraction, in the order given"))
    expect.equal(whole.tolist(), list(range(80)), what="fraction 1", read="exercise 3.15",
                 otherwise="all indices, sorted")
    expect.equal(half.tolist(), sorted(half.tolist()), what="the indices of the half",
                 because="they are not sorted: sort those of all classes together",
                 read="exercise 3.15")
    expect.true(set(tenth) <= set(half), expected="the tenth inside the half",
                got=f"{len(set(tenth) - set(half))} of its indices are missing",
                because="not nested: shuffle each class once, and take a longer or shorter run "
                        "from the front", read="exercise 3.15")
    expect.equal(np.bincount(np.asarray(labels)[tenth], minlength=2).tolist(), [6, 2],
                 what="sentences of each class in the tenth",
                 otherwise="take a tenth of each class, not of all together", read="exercise 3.15")


@exercise("3.15")
def test_random(student):
    """The subset is drawn with the generator, and every class is represented."""
    def draw_one(seed):
        generator = student.make(f"np.random.default_rng({seed})")
        return np.asarray(student.nested_subsets([0] * 50 + [1] * 2, [0.04], generator)[0]).tolist()

    first, second = draw_one(1), draw_one(2)
    expect.true(first != second, expected="another subset from another generator", got=f"{first}",
                otherwise="rng.permutation", read="exercise 3.15")
    expect.true(any(i >= 50 for i in first), expected="at least one sentence of each class",
                got=f"{first}", read="exercise 3.15",
                otherwise="4% of two rounds to 0: keep at least one")


@exercise("3.15", beside=["test_nested", "test_random"])
def test_fractions_are_checked(student):
    """A fraction of 0 or above 1 raises a ValueError."""
    generator = student.make("np.random.default_rng(0)")
    for fraction in (0.0, 1.5):
        expect.raises(
            lambda fraction=fraction: student.nested_subsets([0, 1], [fraction], generator),
            because=f"fraction {fraction} is accepted", otherwise="a ValueError",
            read="exercise 3.15")
