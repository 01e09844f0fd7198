"""Hidden tests of exercise 3.15: nested, stratified subsets of the data."""

import numpy as np

from grader.checking.question import question, refusal

READ = "the docstring of 3.15"
SHARE = "the rounded share of each class, and at least one example"


def subsets(its, labels, fractions, seed=0):
    """The indices for each fraction."""
    made = its.nested_subsets(labels, fractions, its.make(f"np.random.default_rng({seed})"))
    return [[int(index) for index in one] for one in made]


def draw(rng, *counts):
    """So many labels of each class, in random order."""
    return rng.permutation(np.repeat(np.arange(len(counts)), counts))


@question("3.15", weight=2, advice=SHARE, read=READ)
def test_classes_keep_their_share(its, rng):
    """Every subset has each class's share, rounded, and at least one example of it."""
    labels, fractions = draw(rng, 10, 80, 31), [0.1, 0.02, 0.27]
    own = [*subsets(its, labels, fractions), *subsets(its, labels.tolist(), fractions, 1)]
    counts = {i: np.bincount(labels[list({*one})], minlength=3) for i, one in enumerate(own)}
    return {
        f"different examples of each class, {fractions[i % 3]:.0%}": n for i, n in counts.items()
    }


@question("3.15", weight=2, advice="shuffle once, then take the first of each class", read=READ)
def test_nested(its, rng):
    """Smaller subsets are contained in larger ones, sorted; fraction 1 is everything."""
    labels, found = draw(rng, 60, 140), {}
    for fractions in ([0.1, 0.25, 0.5, 1.0], [0.5, 0.05, 1.0, 0.2]):
        own = subsets(its, labels, fractions)
        pairs = zip(sorted(own, key=len), sorted(own, key=len)[1:], strict=False)
        found[f"the sizes for {fractions}"] = [len(one) for one in own]
        found["each is in the next larger one"] = all({*a} <= {*b} for a, b in pairs)
    small, whole = subsets(its, 1 + 3 * draw(rng, 13, 27), [0.4, 1])
    return found | {"the indices for 0.4 are sorted": small == sorted(small), "those for 1": whole}


@question("3.15", advice="draw from `rng`", read=READ)
def test_generator_decides(its, rng):
    """The generator alone decides which examples are drawn, not their order in the data."""
    labels = draw(rng, 50, 50)
    one, again, other = (sorted(subsets(its, labels, [0.3], seed)[0]) for seed in (5, 5, 6))
    first = [i for of in (0, 1) for i in np.flatnonzero(labels == of)[:15].tolist()]
    return {  # two correct draws agree once in C(50, 15)², about 5e24
        "an equal generator draws the same": one == again,
        "another generator draws others": one != other,
        "they are not the first of each class": one != sorted(first),
    }


@question("3.15", weight=0.5, beside=["test_classes_keep_their_share", "test_nested"], read=READ)
def test_fractions(its):
    """A fraction of 0 or less, or above 1, raises a ValueError."""
    cases = (0.0, -0.2, 1.5)
    return {f: refusal(lambda f=f: subsets(its, [0, 1, 0, 1], [0.5, f])) for f in cases}
