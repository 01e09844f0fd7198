"""Classification metrics, with the standard error of the accuracy."""

import math
from collections.abc import Sequence


def classification_scores(predictions: Sequence[int], labels: Sequence[int]) -> dict[str, float]:
    """Accuracy, precision, recall and F1 of class 1, and the standard error of the accuracy.

    F1 is the harmonic mean of precision and recall. Where a denominator is 0 (no prediction or no
    label is 1) the score is 0.0, never NaN. All are between 0 and 1; the standard error is
    √(p(1 − p)/n). Raises ValueError when the two have different lengths, naming both, or are empty.
    """
    n = len(labels)
    if len(predictions) != n:
        raise ValueError(f"{len(predictions)} predictions do not fit {n} labels: give one each")
    if n == 0:
        raise ValueError("no predictions and no labels: there is nothing to score")
    pairs = [(int(guess), int(label)) for guess, label in zip(predictions, labels, strict=True)]
    accuracy = sum(guess == label for guess, label in pairs) / n
    hits = pairs.count((1, 1))
    predicted, actual = hits + pairs.count((1, 0)), hits + pairs.count((0, 1))
    return {
        "accuracy": accuracy,
        "precision": hits / predicted if predicted else 0.0,
        "recall": hits / actual if actual else 0.0,
        # 2PR / (P + R), without the division by P + R = 0
        "f1": 2 * hits / (predicted + actual) if hits else 0.0,
        "standard_error": math.sqrt(accuracy * (1 - accuracy) / n),
    }
