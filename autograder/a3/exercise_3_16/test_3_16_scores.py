"""Hidden tests of exercise 3.16: accuracy, precision, recall, F1 and the standard error."""

import numpy as np

from grader.checking.question import question, refusal

READ = "the docstring of 3.16"
COUNT = "count true positives, predicted positives and actual positives"
NAMES = ("accuracy", "precision", "recall", "f1", "standard_error")


def scores(its, *cases, names=NAMES[:4]):
    """These scores of every case, by name."""
    found = [(i, its.classification_scores(*case)) for i, case in enumerate(cases, 1)]
    return {f"{name} of case {i}": one.get(name, "missing") for i, one in found for name in names}


@question("3.16", weight=2, advice=COUNT, read=READ)
def test_values(its, rng):
    """Accuracy, precision, recall and F1, for lists and for arrays."""
    labels = (rng.random(40) < 0.4).astype(int)
    predictions = np.where(rng.random(40) < 0.3, 1 - labels, labels)
    predictions[np.flatnonzero(labels == 0)[:4]] = 1
    few, many = ([1, 0, 0, 0, 0, 0], [1, 1, 1, 1, 0, 0]), ([1] * 4 + [0] * 3, [1] + [0] * 5 + [1])
    lists, all_right = (predictions.tolist(), labels.tolist()), ([1, 0, 1, 1], [1, 0, 1, 1])
    return scores(its, lists, (predictions, labels), few, many, all_right)


@question("3.16", advice="√(p(1 − p) / n), p the accuracy", read=READ)
def test_standard_error(its):
    """The standard error of the accuracy, also where all is right."""
    cases = ([1, 0, 0, 0, 0, 0], [1, 1, 1, 1, 0, 0]), ([1, 0, 1, 1], [1, 0, 1, 1])
    return scores(its, *cases, names=NAMES[4:])


@question("3.16", weight=2, advice="0.0 where a denominator is 0", read=READ)
def test_never_nan(its):
    """Scores are 0.0 when no prediction is 1, no label is 1, or both."""
    cases = [([0, 0, 0], [1, 0, 1]), ([1, 0, 1], [0, 0, 0]), ([0, 0], [0, 0]), ([0, 1], [1, 0])]
    return scores(its, *cases)


@question("3.16", corner=True, advice="compare the lengths first", read=READ)
def test_refusals(its):
    """Different lengths are refused by both, and so is empty input."""
    cases = {"2 and 5": ([1, 0], [1, 0, 1, 1, 0]), "4 and 1": ([1] * 4, [1]), "none": ([], [])}
    return {n: refusal(lambda c=c: scores(its, c), {*map(len, c)} - {0}) for n, c in cases.items()}
