"""Hidden tests of exercise 1.10: inputs that tell a described mistake from correct attention.

The faulty attentions are here; a submission only returns inputs for them. Each answer says what
every right answer has, from the shapes to the difference of the outputs.
"""

import numpy as np

from grader.checking.question import question, refusal

READ = "exercise 1.10"
ADVICE = "spread the scores and the values further apart"


def _attention(query, key, value, mask, bug=""):
    """The output of attention, correct or with one of the six described mistakes."""
    scores = key @ query.T if bug == "keys-score-queries" else query @ key.T
    scores = scores if bug == "not-scaled" else scores / np.sqrt(query.shape[1])
    if bug != "mask-after-softmax":
        scores = np.where(mask, scores, np.finfo(float).min)
    axis = 0 if bug == "softmax-over-queries" else 1
    largest = scores.max() if bug == "one-maximum" else scores.max(axis=axis, keepdims=True)
    with np.errstate(all="ignore"):
        weights = np.exp(scores - largest)
        weights = weights / weights.sum(axis=axis, keepdims=True)
    return (weights if bug == "empty-row-mean" else np.where(mask, weights, 0.0)) @ value


def _needed(bug, query, key, value, mask):
    """The requirements on inputs that expose a mistake."""
    scores, d_k, differ = query @ key.T, query.shape[1], np.ptp(value, axis=0).any()
    rows = np.where(mask, scores, np.nan)[mask.any(axis=1)]
    spread = len(rows) and (np.nanmax(rows, axis=1) > np.nanmin(rows, axis=1)).any()
    highest = np.nanmax(rows, axis=1) / np.sqrt(d_k) if len(rows) else np.zeros(1)
    return {
        "not-scaled": {"unequal scores": spread, "unequal values": differ, "d_k > 1": d_k > 1},
        "keys-score-queries": {"QKᵀ is not symmetric": not np.array_equal(scores, scores.T),
                               "unequal values": differ},
        "softmax-over-queries": {"there are several tokens": scores.size > 1},
        "mask-after-softmax": {"a cell is masked": not mask.all()},
        "one-maximum": {"row maxima are 740 apart": np.ptp(highest) > 740},
        "empty-row-mean": {"a query has no key": not mask.any(axis=1).all(),
                           "the mean of all values is not 0": value.mean(axis=0).any()},
    }[bug]  # fmt: skip


def _allowed(query, key, value, mask):
    """The handout's requirements on all inputs; NaN is not below 10⁶."""
    three = (query, key, value)
    return {
        "matrices of at most 100 rows and columns": all(
            x.ndim == 2 and x.size and max(x.shape) <= 100 for x in three
        ),
        "query, key and value fit together": (query.shape[-1:], key.shape[:1])
        == (key.shape[-1:], value.shape[:1]),
        "the mask is boolean": mask.dtype == bool,
        "the mask is (n_q, n_k)": mask.shape == query.shape[:1] + key.shape[:1],
        "numbers are at most 10⁶": all(x.size and np.abs(x).max() <= 1e6 for x in three),
    }


def _asks(bug, title):
    """The question for one mistake."""

    def ask(its):
        given = its.separating_input(bug)
        three = [np.asarray(given[name], dtype=float) for name in ("query", "key", "value")]
        query, key, _ = three
        mask = given.get("mask")
        mask = np.ones((len(query), len(key)), bool) if mask is None else np.asarray(mask)
        found = _allowed(*three, mask)
        if bug == "keys-score-queries":
            found["there are as many queries as keys"] = query.shape[:1] == key.shape[:1]
        if not all(found.values()):
            return found
        right, wrong = (_attention(*three, mask, one) for one in ("", bug))
        gap = np.abs(np.where(np.isnan(wrong), np.inf, wrong) - right).max()
        return found | _needed(bug, *three, mask) | {"outputs 0.001 apart": gap > 1e-3}

    ask.__doc__ = title
    return question("1.10", advice=ADVICE, read=READ)(ask)


for _bug, _what in {
    "keys-score-queries": "KQᵀ instead of QKᵀ",
    "softmax-over-queries": "a softmax over the queries",
    "mask-after-softmax": "masking after the softmax",
    "one-maximum": "a single maximum for the whole matrix",
    "empty-row-mean": "a query without keys that gets a mean",
    "not-scaled": "scores without a division by √d_k (solved)",
}.items():
    globals()[f"test_{_bug.replace('-', '_')}"] = _asks(_bug, f"The inputs expose {_what}.")


@question("1.10", weight=0.5, corner=True, advice="raise ValueError for any other name", read=READ)
def test_unknown_name(its, rng):
    """A name that is none of the six raises a ValueError."""
    return refusal(lambda: its.separating_input(f"mistake-{rng.integers(10**6)}"))
