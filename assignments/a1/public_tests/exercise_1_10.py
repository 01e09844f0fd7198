"""The visible checks of exercise 1.10: catch a bug."""

import numpy as np

from grader.checking.question import question, refusal

BUGS = ("not-scaled", "keys-score-queries", "softmax-over-queries", "mask-after-softmax",
        "one-maximum", "empty-row-mean")  # fmt: skip
DIFFER = "outputs differ by more than 0.001"
SPREAD = "use scores and values that differ more, and mask a key that has weight"
READ = "exercise 1.10"


def _inputs(its, bug):
    given = its.separating_input(bug)
    arrays = [np.asarray(given[name], dtype=float) for name in ("query", "key", "value")]
    whole = np.ones((len(arrays[0]), len(arrays[1])), bool)
    return *arrays, whole if given.get("mask") is None else np.asarray(given["mask"])


def _softmax(scores):
    shares = np.exp(scores - scores.max(axis=1, keepdims=True))
    return shares / shares.sum(axis=1, keepdims=True)


def _shows_the_mask(query, key, value, mask):
    """Whether rows that no longer sum to one change the output."""
    late = _softmax(query @ key.T / query.shape[1] ** 0.5) * mask
    total = late.sum(axis=1, keepdims=True)
    gap = (late / np.where(total > 0, total, 1.0) - late) @ value
    return bool(np.abs(gap).max() > 1e-3)


@question("1.10", weight=2.5, advice=SPREAD, read="exercise 1.10, the solved example")
def test_the_solved_mistake(its):
    """With and without the division, and the mask in time, outputs are more than 0.001 apart."""
    query, key, value, mask = _inputs(its, "not-scaled")
    dots = np.where(mask, query @ key.T, -1e9)
    gap = (_softmax(dots) - _softmax(dots / query.shape[1] ** 0.5)) @ value
    return {
        "d_k is not 1": query.shape[1] > 1,
        "the scores differ": bool(np.ptp(query @ key.T, axis=1).any()),
        "the values differ": bool(np.ptp(value, axis=0).any()),
        DIFFER: bool(np.abs(gap).max() > 1e-3),
        "mask-after-softmax: " + DIFFER: _shows_the_mask(*_inputs(its, "mask-after-softmax")),
    }


@question("1.10", 2.5, advice="ValueError for other names", read="exercise 1.10, the traps")
def test_traps_and_names(its):
    """No symmetric scores, no values with a mean of zero; a ValueError for an unknown name."""
    query, key, *_ = _inputs(its, "keys-score-queries")
    symmetric = np.array_equal(query @ key.T, key @ query.T)
    other = refusal(lambda: its.separating_input("no-such-mistake"))
    found = {"QKᵀ is symmetric": symmetric, "for an unknown name": other}
    mean = _inputs(its, "empty-row-mean")[2].mean(axis=0)
    return found | {"empty-row-mean: the mean of all values is 0": not mean.any()}


@question("1.10", weight=2.5, advice="correct and faulty attention must both run", read=READ)
def test_six_sets_of_inputs(its):
    """Every mistake has inputs whose shapes fit together."""
    found = {}
    for bug in BUGS:
        query, key, value, mask = _inputs(its, bug)
        fit = query.shape[1] == key.shape[1] and len(key) == len(value)
        found[f"{bug}: query, key and value fit together"] = fit
        found[f"{bug}: the mask is (n_q, n_k)"] = mask.shape == (len(query), len(key))
        found[f"{bug}: dtype of the mask"] = str(mask.dtype)
        largest = max(np.abs(one).max() for one in (query, key, value))
        found[f"{bug}: numbers are at most 10⁶"] = bool(largest <= 1e6)
    query, key, *_ = _inputs(its, "keys-score-queries")
    return found | {"keys-score-queries: as many queries as keys": len(query) == len(key)}
