"""Scores a classifier's labels: accuracy in percent."""

import csv
import io
import itertools
import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from grader.gradebook.exercise_result import ModelResult
from grader.judge.models.scorer import HiddenLabels, Unusable, computed, other_data

MIN_AGREEMENT = 0.98  # of the submitted predictions with the model's own


class Accuracy:
    """0 or 1 for every sentence; `predictions.csv` is compared with it."""

    first = most = 64
    asked_again = 256
    min_agreement = MIN_AGREEMENT
    probe = shuffled = 128
    max_same = 0.95  # two labels are often the same by chance
    min_alike = 0.65  # a lookup table has about 0.5, a classifier rarely less than 0.8
    noun = "predictions"
    verb = "predicted"
    sample = "the score is that of this random sample"
    unit = "%"
    unit_in_words = "% of the hidden labels right"
    unit_in_handouts = "% test accuracy"
    compared = ("predictions", "labels you have not seen")

    @property
    def blank(self) -> dict[str, Any]:
        return {"measure": "accuracy", "score": None, "accuracy": None, "agreement": None}

    def read(self, value: Any, expected: int, function: str) -> list[int]:
        """A call's answer as labels. Raises Unusable for anything but `expected` zeros and ones."""
        shape = getattr(value, "shape", None)  # asked first: an array may have millions of rows
        several = isinstance(value, list) or bool(shape)
        if not several or len(value) != expected:
            got = f"{len(value)} values" if several else type(value).__name__
            raise Unusable(f"{function} returned {got} for {expected} texts, not one label each")
        labels = []
        for label in value:
            if getattr(label, "shape", None) in ((), (1,)):  # an array with one element is a number
                label = label.item()
            if not isinstance(label, (int, float)) or label not in (0, 1):
                shown = repr(str(label)[:40])
                raise Unusable(f"{function} returned {shown} as a label: expected 0 or 1")
            labels.append(int(label))
        return labels

    def same(self, answers: Sequence[int], others: Sequence[int]) -> float:
        return float(np.mean(np.equal(answers, others)))

    alike = same

    def score(
        self,
        answers: Sequence[int],
        rows: Sequence[int],
        files: dict[str, bytes],
        hidden: HiddenLabels,
    ) -> tuple[dict[str, Any], list[str]]:
        right = np.equal(answers, [hidden.labels[row] for row in rows])
        accuracy = round(100 * float(np.mean(right)), 2)
        found: dict[str, Any] = {"score": accuracy, "accuracy": accuracy}
        given, note = _handed_in(files, hidden)
        if given is None:
            return found, [note]
        agreement = float(np.mean(np.equal(answers, [given[row] for row in rows])))
        found["agreement"] = round(agreement, 4)
        if agreement >= MIN_AGREEMENT:
            return found, []
        note = f"predictions.csv agrees with the model on {agreement:.1%} of {len(right)} sentences"
        return found, [f"{note}: the model's own predictions count"]

    def calibration(
        self, measures: dict[str, dict[str, Any]], examples: int
    ) -> tuple[float, float, float]:
        found = measures["test_accuracy"]
        return found["mean"], found["sd"], standard_error(found["mean"], examples)

    def sentences(self, model: ModelResult) -> list[str]:
        assert model.score is not None
        error = standard_error(model.score, model.recomputed)
        return [
            f"Your model is right on {model.score:.1f} % of {model.recomputed:,} sentences whose "
            f"labels it never saw (standard error: {error:.1f} percentage points).",
            f"{computed(model, 'predict')}; the sentences came from: {model.source}.",
        ]


def standard_error(accuracy: float, examples: int) -> float:
    """The standard error of an accuracy in percent on a split of `examples`."""
    return math.sqrt(accuracy * (100 - accuracy) / examples)


def _handed_in(files: dict[str, bytes], hidden: HiddenLabels) -> tuple[list[int] | None, str]:
    """predictions.csv as labels in the order of the split, or None and a note that says why."""
    name = next((name for name in files if name.endswith(".csv")), "")
    if not name:
        return None, "no predictions.csv was handed in"
    if other := other_data(files, hidden):
        return None, f"{name} was made for other sentences, or for these in another order{other}"
    expected = len(hidden.labels)
    try:
        reader = csv.reader(io.StringIO(files[name].decode("utf-8-sig")))
        header = next(reader, [])
        row, prediction = header.index("row"), header.index("prediction")
        lines = itertools.islice((line for line in reader if line), expected + 1)
        found = {int(line[row]): int(line[prediction]) for line in lines}
    except (ValueError, IndexError, csv.Error) as error:
        return None, f"{name} cannot be read ({type(error).__name__}): expected row,prediction"
    if found.keys() != set(range(expected)):
        rows = f"each of {expected} sentences, 0 to {expected - 1}"
        return None, f"{name} does not have one row for {rows}"
    return [found[row] for row in range(expected)], ""
