"""The visible checks of exercise 3.13: from 10 to 512 tokens."""

from grader.checking.question import question, refusal


@question("3.13", weight=2, advice="from ≤ length < to; √(p(1 − p)/n)", read="exercise 3.13")
def test_bins(its):
    """Three bins by hand."""
    right = [True, False, False, True, True, True]
    rows = its.accuracy_by_length([3, 10, 4, 9, 11, 32], right, [0, 10, 20, 40])
    return {
        f"{name} of bin {i}": row[name] for i, row in enumerate(rows, 1) for name in sorted(row)
    }


@question("3.13", corner=True, needs_one_of=["test_bins"], read="exercise 3.13")
def test_no_sentence_is_lost(its):
    """A length outside the edges raises a ValueError that names it; an empty bin has a row."""
    outside = lambda n: its.accuracy_by_length([8, n], [True] * 2, [5, 10])  # noqa: E731
    found = {f"{n} tokens": refusal(lambda n=n: outside(n), [n]) for n in (47, 10, 4)}
    rows = its.accuracy_by_length([3, 25], [True, True], [0, 10, 20, 30])
    return found | {f"{name} of an empty bin": rows[1].get(name) for name in sorted(rows[0])}
