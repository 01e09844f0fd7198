"""The visible checks of exercise 3.15: how much data."""

from grader.checking.question import question, refusal


def draw(its, labels, fractions, seed=3):
    return its.nested_subsets(labels, fractions, its.make(f"np.random.default_rng({seed})"))


@question(
    "3.15", weight=2, advice="shuffle each class once, take its first ones", read="exercise 3.15"
)
def test_nested(its):
    """Smaller subsets lie inside larger ones, sorted, and keep the class proportions."""
    tenth, most, half = ([*map(int, s)] for s in draw(its, [2] * 58 + [5] * 19, [0.1, 0.9, 0.5]))
    return {
        "the size for 0.9": len({*most}),
        "the indices of the half are sorted": half == sorted(half),
        "the tenth is inside the half": {*tenth} <= {*half},
        "of each class in the tenth": [
            sum(i < 58 for i in {*tenth}),
            sum(i > 57 for i in {*tenth}),
        ],
    }


@question("3.15", advice="rng.permutation; 10% of two rounds to 0: keep one", read="exercise 3.15")
def test_random(its):
    """The generator alone decides what is drawn, and every class is represented."""
    labels = [0] * 50 + [1] * 2
    first, again, other = ([*map(int, draw(its, labels, [0.1], s)[0])] for s in (1, 1, 2))
    rare = any(i >= 50 for i in first)
    found = {"another generator draws others": first != other, "the rare class is there": rare}
    return found | {"an equal generator draws the same": first == again}


@question("3.15", corner=True, needs_one_of=["test_nested", "test_random"], read="exercise 3.15")
def test_fractions_are_checked(its):
    """A fraction of 0 or above 1 raises a ValueError; 1 is everything."""
    found = {f: refusal(lambda f=f: draw(its, [0, 1], [f])) for f in (0.0, 1.5)}
    return found | {"fraction 1": [*map(int, draw(its, [0, 1, 0], [1.0])[0])]}
