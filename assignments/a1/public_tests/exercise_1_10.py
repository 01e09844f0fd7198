"""The visible checks of exercise 1.10: catch a bug."""

import math

import numpy as np

from grader.checking import expect
from grader.checking.exercise import exercise

# Expectations are set like tables: value, causes, hint, section.
# fmt: off

BUGS = ("not-scaled", "keys-score-queries", "softmax-over-queries", "mask-after-softmax",
        "one-maximum", "empty-row-mean")


def _inputs(student, bug):
    inputs = student.separating_input(bug)
    names = ("query", "key", "value", "mask")
    expect.true(isinstance(inputs, dict) and set(inputs) == set(names),
                expected=f"a dict with the keys {', '.join(names)}", got=repr(inputs)[:200],
                otherwise="without a mask, the dict still has the key: mask=None")
    arrays = [np.asarray(inputs[name], dtype=float) for name in names[:3]]
    expect.true(all(array.ndim == 2 for array in arrays), expected=f"{bug}: three matrices",
                got=f"shapes {[a.shape for a in arrays]}",
                otherwise="one sequence, without a batch axis")
    expect.true(all(max(array.shape) <= 100 for array in arrays),
                expected=f"{bug}: at most 100 tokens and features",
                got=f"shapes {[a.shape for a in arrays]}", otherwise="a few tokens are enough")
    mask = inputs["mask"]
    return (*arrays, mask if mask is None else np.asarray(mask))


@exercise("1.10")
def test_the_solved_mistake(student):
    """The solved example: outputs with and without the division differ by more than 0.001."""
    query, key, value, mask = _inputs(student, "not-scaled")
    dots = np.where(True if mask is None else mask, query @ key.T, -1e9)
    outputs = []
    for scores in (dots, dots / math.sqrt(query.shape[1])):
        shares = np.exp(scores - np.logaddexp.reduce(scores, axis=1, keepdims=True))
        outputs.append(shares @ value)
    gap = float(np.max(np.abs(outputs[0] - outputs[1])))
    expect.above(
        gap, 1e-3, expected="outputs that differ by more than 0.001", got=f"a gap of {gap:.2g}",
        because="d_k = 1 needs no division" if query.shape[1] == 1
        else "with one key the only weight is 1 whatever its score" if len(key) == 1
        else "all scores are zero, so every weight is equal either way" if not dots.any()
        else "all values are equal: every mixture is the same" if not np.ptp(value, axis=0).any()
        else "",
        otherwise="the scores or the values do not differ enough within a row",
        read="exercise 1.10, the solved example",
    )


@exercise("1.10")
def test_masked_too_late(student):
    """The inputs for "mask-after-softmax" show it: its rows no longer sum to one."""
    query, key, value, mask = _inputs(student, "mask-after-softmax")
    free = np.ones((len(query), len(key)), bool) if mask is None else np.asarray(mask)
    scores = query @ key.T / math.sqrt(query.shape[1])
    shares = np.exp(scores - np.logaddexp.reduce(scores, axis=1, keepdims=True))
    late = shares * free  # what the mistake computes; correct weights renormalize
    total = late.sum(axis=1, keepdims=True)
    right = np.divide(late, total, out=np.zeros_like(late), where=total > 0)
    gap = float(np.max(np.abs((right - late) @ value)))
    expect.above(
        gap, 1e-3, expected="outputs that differ by more than 0.001", got=f"a gap of {gap:.2g}",
        because="no cell is masked" if free.all()
        else "with one key there is no weight to redistribute" if len(key) == 1 else "",
        otherwise="mask out a key that has weight, and use values other than 0",
        read="exercise 1.10, the table",
    )


@exercise("1.10")
def test_traps_and_names(student):
    """No symmetric scores for "keys-score-queries"; a ValueError for an unknown name."""
    query, key, _, _ = _inputs(student, "keys-score-queries")
    scores = query @ key.T
    expect.true(
        not np.array_equal(scores, scores.T), expected="scores that are not symmetric",
        got=expect.show(scores), because="QKᵀ = KQᵀ here, so both attentions are the same",
        read="exercise 1.10, the traps",
    )
    expect.raises(lambda: student.separating_input("no-such-mistake"), "ValueError",
                  because="an unknown name does not raise: inputs are returned for it",
                  otherwise="raise ValueError for any other name", read="the docstring of 1.10")


@exercise("1.10")
def test_six_sets_of_inputs(student):
    """Every mistake has inputs whose shapes fit together."""
    for bug in BUGS:
        query, key, value, mask = _inputs(student, bug)
        shapes = f"{bug}: query {query.shape}, key {key.shape}, value {value.shape}"
        expect.true(
            query.shape[1] == key.shape[1] and len(key) == len(value),
            expected="query and key of equal width, one value per key", got=shapes,
            otherwise="correct and faulty attention must both run without an error",
        )
        if mask is not None:
            expect.dtype(mask, "bool", what=f"{bug}: a mask", otherwise="True = may attend")
            expect.shape(mask, (len(query), len(key)), what=f"{bug}: the mask",
                         otherwise="one row per query, one column per key")
