"""Hidden tests of exercise 3.16: accuracy, precision, recall, F1 and the standard error."""

import functools
import math

import numpy as np

from autograder.a3.answers import answered
from grader.checking import expect
from grader.checking.exercise import exercise
from grader.checking.known_mistakes import known_mistakes

MISTAKE = known_mistakes(__file__)

READ = "the docstring of 3.16"
NAMES = ("accuracy", "precision", "recall", "f1", "standard_error")
EMPTY = MISTAKE.scores_of_nothing


def scores(predictions, labels, of=1):
    guess, label = np.asarray(predictions), np.asarray(labels)
    p = float((guess == label).mean())
    hits = int(((guess == of) & (label == of)).sum())
    guessed, there = int((guess == of).sum()), int((label == of).sum())
    precision, recall = hits / guessed if guessed else 0.0, hits / there if there else 0.0
    f1 = 2 * precision * recall / (precision + recall) if hits else 0.0
    return {
        "accuracy": p,
        "precision": precision,
        "recall": recall,
        "f1": f1,
        "standard_error": math.sqrt(p * (1 - p) / len(label)),
    }


def compare(student, predictions, labels):
    made = answered(
        lambda: student.classification_scores(predictions, labels),
        "predictions and labels may be lists or arrays",
        READ,
        kinds={"ZeroDivisionError": MISTAKE.scores_division_by_zero},
    )
    missing = [name for name in NAMES if not isinstance(made, dict) or name not in made]
    expect.true(
        not missing,
        expected=f"a dict with {', '.join(NAMES)}",
        got=f"no {', '.join(missing)}" if isinstance(made, dict) else type(made).__name__,
        read=READ,
    )
    want, zero = scores(predictions, labels), scores(predictions, labels, of=0)
    p, n = want["accuracy"], len(labels)
    precision, recall = want["precision"], want["recall"]
    causes = {
        "accuracy": {"the fraction of wrong answers": 1 - p},
        "precision": {MISTAKE.scores_precision_is_recall: recall},
        "recall": {MISTAKE.scores_precision_is_recall: precision},
        "f1": {
            MISTAKE.scores_arithmetic_mean: (precision + recall) / 2,
            "the factor 2 is missing": want["f1"] / 2,
            "the geometric mean: F1 is the harmonic mean": math.sqrt(precision * recall),
            "the mean of both classes' F1: return that of class 1": (want["f1"] + zero["f1"]) / 2,
            "this is the accuracy": p,
        },
        "standard_error": {
            MISTAKE.scores_error_without_n: math.sqrt(p * (1 - p)),
            "p(1 − p)/n without the square root": p * (1 - p) / n,
            "√(p(1 − p)/(n − 1)): divide by n here": math.sqrt(p * (1 - p) / max(1, n - 1)),
            "the standard error of F1: return that of the accuracy": math.sqrt(
                want["f1"] * (1 - want["f1"]) / n
            ),
        },
    }
    for name in NAMES:
        own = {
            "in percent: it is a fraction between 0 and 1": 100 * want[name],
            "of class 0: the positive class is 1": zero[name],
            **({} if want[name] else {MISTAKE.scores_nan: math.nan}),
        }
        expect.close(
            made[name],
            want[name],
            otherwise="count true positives, predicted positives and actual positives",
            read=READ,
            what=name,
        )


@exercise("3.16", weight=2)
def test_values(student, rng):
    """All five measures, for lists and for arrays."""
    labels = (rng.random(40) < 0.4).astype(int)
    predictions = np.where(rng.random(40) < 0.3, 1 - labels, labels)
    predictions[np.flatnonzero(labels == 0)[:4]] = 1
    compare(student, predictions.tolist(), labels.tolist())
    compare(student, predictions, labels)


@exercise("3.16")
def test_harmonic_mean(student):
    """Precision 1 and recall 0.25 give F1 0.4; the two are not swapped."""
    # neither precision nor recall of one class equals either of the other
    compare(student, [1, 0, 0, 0, 0, 0], [1, 1, 1, 1, 0, 0])
    compare(student, [1, 1, 1, 1, 0, 0, 0], [1, 0, 0, 0, 0, 0, 1])


@exercise("3.16", weight=2)
def test_never_nan(student):
    """Scores are 0.0 when no prediction is 1, no label is 1, or both."""
    for predictions, labels in [
        ([0, 0, 0], [1, 0, 1]),
        ([1, 0, 1], [0, 0, 0]),
        ([0, 0], [0, 0]),
        ([0, 1], [1, 0]),
    ]:
        compare(student, predictions, labels)


@exercise("3.16")
def test_all_right(student):
    """All correct: every score is 1, and the standard error is 0."""
    compare(student, [1, 0, 1, 1], [1, 0, 1, 1])


@exercise("3.16", beside=["test_values", "test_harmonic_mean", "test_all_right"])
def test_nothing_to_score(student):
    """Empty input raises a ValueError; so do different lengths, and it names both."""
    expect.raises(
        functools.partial(student.classification_scores, [1, 0, 1], [1, 0, 1, 1, 0]),
        mentions=["3", "5"],
        otherwise="compare the lengths first, and name both in the ValueError",
        read=READ,
    )

    def of_nothing():
        return student.classification_scores([], [])

    expect.raises(
        of_nothing,
        because=EMPTY,
        otherwise="a ValueError",
        read=READ,
    )
