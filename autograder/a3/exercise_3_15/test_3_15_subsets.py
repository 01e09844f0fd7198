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
    """Smaller subsets are contained in larger ones, sorted."""
    labels, found = draw(rng, 60, 140), {}
    for fractions in ([0.1, 0.25, 0.5, 0.9], [0.5, 0.05, 0.9, 0.2]):
        own = subsets(its, labels, fractions)
        pairs = zip(sorted(own, key=len), sorted(own, key=len)[1:], strict=False)
        found[f"the sizes for {fractions}"] = [len(one) for one in own]
        found["each is in the next larger one"] = all({*a} <= {*b} for a, b in pairs)
    first, again, other = (subsets(its, [4] * 90, [0.5], seed) for seed in (1, 1, 2))
    found["the generator alone decides"] = first == again != other
    (small,) = subsets(its, 1 + 3 * draw(rng, 13, 27), [0.4])
    return found | {"the indices for 0.4 are sorted": small == sorted(small)}


@question("3.15", corner=True, advice="0 < fraction ≤ 1, else a ValueError", read=READ)
def test_refusals(its):
    """Fractions of 0, below it and above 1 are refused; 1 is everything."""
    found, wrong = {"1": subsets(its, [1, 0, 1, 1], [0.5, 1])[1]}, (0.0, -0.1, 1.01)
    return found | {f: refusal(lambda f=f: subsets(its, [0, 1, 1], [0.5, f])) for f in wrong}
