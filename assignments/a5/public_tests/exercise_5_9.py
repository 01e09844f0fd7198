"""The visible checks of exercise 5.9: stopping trials early."""

from grader.checking.question import question, refusal

# Trial 5 is the best in the end, and is the worst after one step.
ROWS = ("3 9 1 1", "2 6 4 5", "4 4 6 6", "6 3 4 4", "1 2 3 3", "0 7 8 9")
CURVES = [[float(value) for value in row.split()] for row in ROWS]


@question("5.9", 4, advice="6 · 1 + 2 · 3 steps, and 6 · 1 + 3 · 1 + 2 · 2", read="exercise 5.9")
def test_rungs(its):
    """A third of six trials go on after step 1; or half, then two after step 2; or ⌈6 / 5⌉."""
    cases = {"rung 1": (CURVES, [1]), "rungs 1 and 2, eta 2": (CURVES, [1, 2], 2)}
    cases["rung 2, eta 5"] = (CURVES, [2], 5)
    found = {name: its.successive_halving(*case) for name, case in cases.items()}
    survivors = {f"survivors, {name}": some for name, (some, _) in found.items()}
    return survivors | {f"steps, {name}": steps for name, (_, steps) in found.items()}


@question(
    "5.9",
    corner=True,
    advice="check lengths and rungs",
    read="exercise 5.9",
    needs_one_of=["test_rungs"],
)
def test_refusals(its):
    """Curves of different lengths raise a ValueError, and so do rungs that fall or lie outside."""
    cases = {"lengths": ([[1.0, 2.0], [1.0]], [1]), "[3, 1]": (CURVES, [3, 1]), "9": (CURVES, [9])}
    return {n: refusal(lambda c=c: its.successive_halving(*c)) for n, c in cases.items()}
