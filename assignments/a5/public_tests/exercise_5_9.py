"""The visible checks of exercise 5.9: stopping trials early."""

from grader.checking import expect
from grader.checking.exercise import exercise

# Expectations are set like tables: value, causes, hint, section.
# fmt: off

# Trial 5 is the best in the end, and is the worst after one step.
CURVES = [[3.0, 1.0, 1.0, 1.0], [2.0, 6.0, 4.0, 5.0], [5.0, 4.0, 4.0, 4.0],
          [4.0, 5.0, 6.0, 6.0], [1.0, 2.0, 3.0, 3.0], [0.0, 7.0, 8.0, 9.0]]


def replayed(student, *given):
    survivors, steps = expect.parts(student.successive_halving(*given), 2, read="exercise 5.9",
                                    otherwise="return the survivors and the steps")
    survivors = survivors.tolist() if hasattr(survivors, "tolist") else survivors
    return list(survivors) if isinstance(survivors, tuple) else survivors, steps


@exercise("5.9")
def test_one_rung(student):
    """Six trials and a rung after the first step: a third of them goes on."""
    survivors, steps = replayed(student, CURVES, [1])
    expect.equal(survivors, [2, 3], what="the survivors at the rung [1] with eta = 3",
                 otherwise="the best two after one step", read="exercise 5.9")
    expect.equal(steps, 12, what="the steps", read="exercise 5.9",
                 otherwise="six trials take one step, and two of them three more")


@exercise("5.9")
def test_two_rungs(student):
    """With eta = 2, three of six go on after the first step, and two of these after the second."""
    survivors, steps = replayed(student, CURVES, [1, 2], 2)
    expect.equal(survivors, [2, 3], what="the survivors at the rungs [1, 2] with eta = 2",
                 otherwise="⌈3 / 2⌉ of three go on; trial 5 has been ended before",
                 read="exercise 5.9")
    expect.equal(steps, 13, what="the steps", otherwise="6 · 1 + 3 · 1 + 2 · 2",
                 read="exercise 5.9")


@exercise("5.9", beside=["test_one_rung", "test_two_rungs"])
def test_refusals(student):
    """Curves of different lengths raise a ValueError, and so do rungs that fall."""
    for curves, rungs, what in (([[1.0, 2.0], [1.0]], [1], "curves of different lengths"),
                                (CURVES, [3, 1], "rungs that fall"),
                                (CURVES, [9], "a rung after the last step")):
        expect.raises(lambda curves=curves, rungs=rungs: student.successive_halving(curves, rungs),
                      because=f"accepted: {what}", otherwise="a ValueError", read="exercise 5.9")
