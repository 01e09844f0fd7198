"""How good predictions are, and how sure one can be of it."""

import math
from collections.abc import Sequence


def classification_scores(predictions: Sequence[int], labels: Sequence[int]) -> dict[str, float]:
    """Accuracy, precision, recall and F1 of class 1, and the standard error of the accuracy.

    F1 is the harmonic mean of precision and recall. Where a denominator is 0 (nothing predicted
    as 1, nothing that is 1) the score is 0.0, never NaN. All are shares between 0 and 1; the
    standard error is √(p(1 − p)/n). Raises ValueError when the two have different lengths, naming
    both, or when there is nothing to score.
    """
    n = len(labels)
    if len(predictions) != n:
        raise ValueError(f"{len(predictions)} predictions do not fit {n} labels: give one each")
    if n == 0:
        raise ValueError("no predictions and no labels: there is nothing to score")
    pairs = [(int(guess), int(label)) for guess, label in zip(predictions, labels, strict=True)]
    accuracy = sum(guess == label for guess, label in pairs) / n
    hits = pairs.count((1, 1))
    guessed, there = hits + pairs.count((1, 0)), hits + pairs.count((0, 1))
    return {
        "accuracy": accuracy,
        "precision": hits / guessed if guessed else 0.0,
        "recall": hits / there if there else 0.0,
        # 2PR / (P + R), without the division by P + R = 0
        "f1": 2 * hits / (guessed + there) if hits else 0.0,
        "standard_error": math.sqrt(accuracy * (1 - accuracy) / n),
    }
