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
    """What inputs need to have in order to expose a mistake."""
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


def _valid(bug, query, key, value, mask):
    """What the handout requires of any inputs: the numbers last, which NaN is not below."""
    shapes = [array.shape for array in (query, key, value)]
    found = {"matrices of 1 to 100 rows and columns": all(
        len(shape) == 2 and min(shape) > 0 and max(shape) <= 100 for shape in shapes
    )}  # fmt: skip
    if all(found.values()):
        found["the widths and numbers fit together"] = query.shape[1] == key.shape[1] and len(
            key
        ) == len(value)
        found["the mask is bool and (n_q, n_k)"] = mask is None or (
            np.asarray(mask).dtype == bool and np.shape(mask) == (len(query), len(key))
        )
        square = bug != "keys-score-queries" or len(query) == len(key)
        found["KQᵀ and V can be multiplied"] = square
        found["numbers up to 10⁶"] = all(np.abs(one).max() <= 1e6 for one in (query, key, value))
    return found


def _asks(bug, title, weight=1.0):
    """The question for one mistake."""

    def ask(its):
        given = its.separating_input(bug)
        three = [np.asarray(given[name], dtype=float) for name in ("query", "key", "value")]
        mask = given.get("mask")
        found = _valid(bug, *three, mask)
        if not all(found.values()):
            return found
        mask = np.ones((len(three[0]), len(three[1])), bool) if mask is None else mask
        right, wrong = (_attention(*three, mask, one) for one in ("", bug))
        gap = np.abs(np.where(np.isnan(wrong), np.inf, wrong) - right).max()
        return found | _needed(bug, *three, mask) | {"outputs 0.001 apart": gap > 1e-3}

    ask.__doc__ = title
    return question("1.10", weight, advice=ADVICE, read=READ)(ask)


test_keys_score_queries = _asks("keys-score-queries", "The inputs expose KQᵀ instead of QKᵀ.")
test_softmax_over_queries = _asks(
    "softmax-over-queries", "The inputs expose a softmax over the queries."
)
test_mask_after_softmax = _asks(
    "mask-after-softmax", "The inputs expose masking after the softmax."
)
test_one_maximum = _asks("one-maximum", "The inputs expose a single maximum for the whole matrix.")
test_empty_row_mean = _asks(
    "empty-row-mean", "The inputs expose a query without keys that gets a mean."
)
test_not_scaled = _asks(
    "not-scaled", "The inputs expose scores without a division by √d_k (solved).", 0.5
)


@question(
    "1.10", weight=0.5, advice="raise ValueError for any other name", read=READ,
    beside=["test_keys_score_queries", "test_softmax_over_queries", "test_mask_after_softmax"],
)  # fmt: skip
def test_unknown_name(its):
    """An unknown name raises a ValueError."""
    return refusal(lambda: its.separating_input("no-such-mistake"))
