"""Hidden tests of exercise 3.13: accuracy in bins of sentence length."""

import numpy as np

from grader.checking.question import question, refusal

READ = "the docstring of 3.13"
KEYS = ("from", "to", "n", "accuracy", "standard_error")
BIN = "from ≤ length < to; the share of right answers; None for an empty bin"


def bins(its, lengths, correct, edges, keys=KEYS[:4]):
    """These values of each bin, by name."""
    rows = list(enumerate(its.accuracy_by_length(lengths, correct, edges), 1))
    found = {f"{key} of bin {i}": row.get(key, "missing") for i, row in rows for key in keys}
    return {"the number of bins": len(rows)} | found


@question("3.13", weight=2, advice=BIN, read=READ)
def test_bins(its, rng):
    """Ends, numbers and accuracies of every bin."""
    lengths = [int(n) for n in rng.integers(2, 40, size=60)]
    correct = [bool(c) for c in rng.random(60) < 0.7]
    edges = [1, 10, 20, 30, 64]
    arrays = bins(its, rng.integers(5, 25, size=20), rng.random(20) < 0.5, np.array([5, 12, 25]))
    found = bins(its, [*lengths, 12, 10, 20, 30], [*correct, True, False, True, True], edges)
    return found | {f"{name}, arrays": value for name, value in arrays.items()}


@question("3.13", advice="√(p(1 − p) / n) with the bin's own n", read="§6; exercise 3.13")
def test_standard_errors(its):
    """The standard errors, also where all answers are right."""
    right = [True, False, True, True, True, False, False]
    return bins(its, [1, 2, 3, 12, 13, 22, 23], right, [0, 10, 20, 30], KEYS)


@question("3.13", advice=BIN, read=READ)
def test_empty_bin(its):
    """An empty bin keeps its place, with n = 0 and None for both measures."""
    return bins(its, [3, 4, 30, 31], [True, False, True, True], [0, 10, 20, 40, 80], KEYS)


@question("3.13", beside=["test_bins", "test_empty_bin"], read=READ)
def test_outside(its):
    """A length outside all bins raises a ValueError that names it."""
    cases = {512: [3, 7, 512], 2: [2, 5], 20: [3, 20, 8]}
    asked = lambda own: its.accuracy_by_length(own, [True] * len(own), [3, 10, 20])  # noqa: E731
    return {f"{n} tokens": refusal(lambda own=own: asked(own), [n]) for n, own in cases.items()}
