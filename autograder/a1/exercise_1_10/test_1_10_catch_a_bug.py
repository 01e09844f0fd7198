"""Hidden tests of exercise 1.10: inputs that tell a described mistake from correct attention.

The faulty attentions are implemented here; a submission only returns inputs for them.
"""

import numpy as np

from grader.checking import expect
from grader.checking.exercise import exercise
from grader.checking.known_mistakes import known_mistakes

MISTAKE = known_mistakes(__file__)

READ = "exercise 1.10"
GAP, MOST_ROWS, LARGEST = 1e-3, 100, 1e6


def _attention(query, key, value, mask, bug=""):
    """The output of attention, correct or with one of the six described mistakes."""
    scores = key @ query.T if bug == "keys-score-queries" else query @ key.T
    if bug != "not-scaled":
        scores = scores / np.sqrt(query.shape[1])
    if mask is not None and bug != "mask-after-softmax":
        scores = np.where(mask, scores, np.finfo(float).min)
    axis = 0 if bug == "softmax-over-queries" else 1
    largest = scores.max() if bug == "one-maximum" else scores.max(axis=axis, keepdims=True)
    with np.errstate(all="ignore"):
        weights = np.exp(scores - largest)
        weights = weights / weights.sum(axis=axis, keepdims=True)
    if mask is not None and bug != "empty-row-mean":
        weights = np.where(mask, weights, 0.0)
    return weights @ value


def _inputs(student, bug):
    """The student's inputs: three float matrices and a mask. Raises Failure if invalid."""
    given = student.separating_input(bug)
    expect.true(
        isinstance(given, dict) and {"query", "key", "value"} <= set(given),
        expected="a dict with query, key, value and mask", got=repr(given)[:120], read=READ,
    )  # fmt: skip
    arrays = [np.asarray(given[name], dtype=float) for name in ("query", "key", "value")]
    query, key, value = arrays
    shapes = [array.shape for array in arrays]
    expect.true(
        all(array.ndim == 2 and array.size and max(array.shape) <= MOST_ROWS for array in arrays)
        and query.shape[1] == key.shape[1] and len(key) == len(value),
        expected=f"shapes (n_q, d_k), (n_k, d_k), (n_k, d_v), each size at most {MOST_ROWS}",
        got=f"shapes {shapes}", otherwise="correct and faulty attention must both run", read=READ,
    )  # fmt: skip
    expect.true(
        all(np.isfinite(array).all() and np.abs(array).max() <= LARGEST for array in arrays),
        expected=f"finite numbers up to {LARGEST:.0e}", got="NaN, ∞ or larger numbers", read=READ,
    )  # fmt: skip
    mask = given.get("mask")
    if mask is not None:
        mask = np.asarray(mask)
        expect.true(
            mask.dtype == bool, expected="a mask of dtype bool", got=str(mask.dtype), read=READ,
        )  # fmt: skip
        want = (len(query), len(key))
        expect.shape(mask, want, what="the mask", otherwise="(n_q, n_k)", read=READ)
    return query, key, value, mask


def _why(bug, query, key, value, mask):
    """Why these inputs hide the mistake; "" if no known reason applies."""
    scores = query @ key.T
    free = np.ones(scores.shape, bool) if mask is None else mask
    rows = np.where(free, scores, np.nan)[free.any(axis=1)]
    even = bool(np.all(np.nanmax(rows, axis=1) == np.nanmin(rows, axis=1))) if len(rows) else True
    gap = float(np.ptp(np.nanmax(rows, axis=1))) / np.sqrt(query.shape[1]) if len(rows) else 0.0
    empty = not free.any(axis=1).all()
    reasons = [
        ("mask-after-softmax", mask is None or mask.all(), MISTAKE.inputs_without_mask),
        ("empty-row-mean", not empty, MISTAKE.inputs_no_empty_row),
        ("empty-row-mean", not value.mean(axis=0).any(), "the mean of all values is zero"),
        ("softmax-over-queries", scores.shape == (1, 1), MISTAKE.inputs_one_token),
        ("", len(key) == 1, "one token: its weight is 1 whatever its score is"),
        ("", even, MISTAKE.inputs_zero),
        ("one-maximum", gap < 745, MISTAKE.inputs_rows_close_together.format(gap=gap)),
        ("not-scaled", query.shape[1] == 1, "√d_k is 1 at d_k = 1"),
        ("keys-score-queries", np.array_equal(scores, scores.T), MISTAKE.inputs_symmetric),
        ("", np.ptp(value, axis=0).max() == 0, MISTAKE.inputs_equal_values),
    ]
    found = [text for about, true, text in reasons if about in (bug, "") and true]
    return found[0] if found else ""


def _separates(student, bug):
    """Check that correct and faulty attention differ on the student's inputs for `bug`."""
    query, key, value, mask = _inputs(student, bug)
    expect.true(
        bug != "keys-score-queries" or len(query) == len(key), expected="as many queries as keys",
        got=f"{len(query)} and {len(key)}", otherwise="KQᵀ times V needs n_q = n_k", read=READ,
    )  # fmt: skip
    right = _attention(query, key, value, mask)
    wrong = _attention(query, key, value, mask, bug)
    gap = float(np.abs(np.where(np.isnan(wrong), np.inf, wrong) - right).max())
    expect.above(
        gap, GAP, expected=f"outputs that differ by more than {GAP}",
        got=f"a largest difference of {gap:.2g} for “{bug}”", read=READ,
        because=_why(bug, query, key, value, mask),
        otherwise="the difference is too small: spread the scores and the values further apart",
    )  # fmt: skip


@exercise("1.10")
def test_keys_score_queries(student):
    """The inputs expose KQᵀ computed instead of QKᵀ."""
    _separates(student, "keys-score-queries")


@exercise("1.10")
def test_softmax_over_queries(student):
    """The inputs expose a softmax over the queries."""
    _separates(student, "softmax-over-queries")


@exercise("1.10")
def test_mask_after_softmax(student):
    """The inputs expose masking after the softmax."""
    _separates(student, "mask-after-softmax")


@exercise("1.10")
def test_one_maximum(student):
    """The inputs expose a single maximum for the whole matrix."""
    _separates(student, "one-maximum")


@exercise("1.10")
def test_empty_row_mean(student):
    """The inputs expose a query without keys that gets the mean of the values."""
    _separates(student, "empty-row-mean")


@exercise("1.10", weight=0.5)
def test_not_scaled(student):
    """The inputs expose scores that are not divided by √d_k (the solved example)."""
    _separates(student, "not-scaled")


@exercise(
    "1.10",
    weight=0.5,
    beside=["test_keys_score_queries", "test_softmax_over_queries", "test_mask_after_softmax"],
)
def test_unknown_name(student):
    """An unknown name raises a ValueError."""
    expect.raises(
        lambda: student.separating_input("no-such-mistake"), "ValueError", read=READ,
    )  # fmt: skip
