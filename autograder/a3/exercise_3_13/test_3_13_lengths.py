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


@question("3.13", advice=BIN, read=READ)
def test_empty_bin(its):
    """Standard errors; an empty bin keeps its place, with n = 0 and None for both measures."""
    return bins(its, [3, 4, 5, 30, 31], [True, False, True, True, True], [0, 10, 20, 40, 80], KEYS)


@question("3.13", corner=True, advice="from ≤ length < to; lose no sentence", read=READ)
def test_outside(its, rng):
    """A length before the first edge, at the last or after it is refused by its number."""
    n = int(rng.integers(20, 40))
    asked = lambda own: bins(its, [n + 1, own], [True, False], [n, n + 3, n + 9])  # noqa: E731
    cases = {"before": n - 1, "at the last": n + 9, "after": n + 30}
    return {name: refusal(lambda own=own: asked(own), [own]) for name, own in cases.items()}
