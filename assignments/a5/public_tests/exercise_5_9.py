"""The visible checks of exercise 5.9: stopping trials early."""

from grader.checking.question import question, refusal

# Trial 5 is the best in the end, and is the worst after one step.
ROWS = ("3 1 1 1", "2 6 4 5", "4 5 6 6", "5 4 4 4", "1 2 3 3", "0 7 8 9")
CURVES = [[float(value) for value in row.split()] for row in ROWS]


@question("5.9", 2, advice="the best two go on after one step; 6 · 1 + 2 · 3", read="exercise 5.9")
def test_one_rung(its):
    """Six trials and a rung after the first step: a third of them continue."""
    survivors, steps = its.successive_halving(CURVES, [1])
    return {"survivors": survivors, "steps": steps}


@question("5.9", 2, advice="6 · 1 + 3 · 1 + 2 · 2", read="exercise 5.9")
def test_two_rungs(its):
    """With eta = 2, three of six go on after the first step, and two of these after the second."""
    survivors, steps = its.successive_halving(CURVES, [1, 2], 2)
    return {"survivors": survivors, "steps": steps}


@question(
    "5.9",
    advice="check lengths and rungs",
    read="exercise 5.9",
    beside=["test_one_rung", "test_two_rungs"],
)
def test_refusals(its):
    """Curves of different lengths raise a ValueError, and so do rungs that fall or lie outside."""
    cases = {"lengths": ([[1.0, 2.0], [1.0]], [1]), "[3, 1]": (CURVES, [3, 1]), "9": (CURVES, [9])}
    return {f"{n}": refusal(lambda c=c: its.successive_halving(*c)) for n, c in cases.items()}
