"""The visible checks of exercise 3.16: F1, and how sure we are."""

from grader.checking.question import question, refusal


@question(
    "3.16",
    weight=2,
    advice="F1 = 2PR / (P + R); the error is √(p(1 − p) / n)",
    read="exercise 3.16",
)
def test_scores_by_hand(its):
    """Eight sentences: accuracy, precision, recall, F1 and the standard error."""
    return its.classification_scores([1, 1, 1, 0, 0, 0, 0, 1], [1, 1, 0, 1, 0, 0, 0, 0])


@question("3.16", advice="0/0 counts as 0", read="exercise 3.16")
def test_nothing_predicted(its):
    """Without a sentence predicted as positive, precision and F1 are 0, not NaN."""
    cases = {"none predicted": [0, 1, 0], "none there": [0, 0, 0]}
    found = {name: its.classification_scores([0, 0, 0], labels) for name, labels in cases.items()}
    return {f"{n}, {name}": one[n] for name, one in found.items() for n in sorted(one)}


@question("3.16", corner=True, needs_one_of=["test_scores_by_hand"], read="exercise 3.16")
def test_refusals(its):
    """Different lengths raise a ValueError that names both, and so does empty input."""
    different = refusal(lambda: its.classification_scores([1, 0, 1], [1, 0]), [3, 2])
    return {"3 and 2": different, "none": refusal(lambda: its.classification_scores([], []))}
