"""Labels that a classifier gives, measured in percent right."""

from __future__ import annotations

import csv
import io
import itertools
from collections.abc import Sequence
from typing import Any

import numpy as np

from .hidden_labels import HiddenLabels
from .measure import Unusable, other_data

LEAST_AGREEMENT = 0.98  # of the predictions handed in, with those of the model


class Classification:
    """0 or 1 for every sentence; `predictions.csv` is compared with it."""

    first = most = 64
    probe = 128
    may_stay = 0.95  # two labels are often the same by chance
    least_alike = 0.65  # a table of answers has one half, a classifier seldom less than 0.8
    answers = "predictions"
    asked = "predicted"
    sample = "this random sample counts"

    @property
    def blank(self) -> dict[str, Any]:
        return {"accuracy": None, "agreement": None}

    def read(self, value: Any, wanted: int, function: str) -> list[int]:
        """A call's answer as labels. Raises Unusable for anything but `wanted` zeros and ones."""
        if hasattr(value, "tolist"):
            value = value.tolist()
        if not isinstance(value, list) or len(value) != wanted:
            got = f"{len(value)} values" if isinstance(value, list) else type(value).__name__
            raise Unusable(f"{function} gave {got} for {wanted} texts: wanted one label each")
        labels = []
        for label in value:
            if hasattr(label, "tolist"):  # an array or a tensor with one element is a number
                label = label.tolist()
            if not isinstance(label, (int, float)) or label not in (0, 1):
                raise Unusable(f"{function} gave {str(label)[:40]!r} for a label: wanted 0 or 1")
            labels.append(int(label))
        return labels

    def same(self, made: Sequence[int], others: Sequence[int]) -> float:
        return float(np.mean(np.equal(made, others)))

    alike = same

    def score(
        self,
        made: Sequence[int],
        rows: Sequence[int],
        files: dict[str, bytes],
        hidden: HiddenLabels,
    ) -> tuple[dict[str, Any], list[str]]:
        right = np.equal(made, [hidden.labels[row] for row in rows])
        found: dict[str, Any] = {"accuracy": round(100 * float(np.mean(right)), 2)}
        given, note = _handed_in(files, hidden)
        if given is None:
            return found, [note]
        agreement = float(np.mean(np.equal(made, [given[row] for row in rows])))
        found["agreement"] = round(agreement, 4)
        if agreement >= LEAST_AGREEMENT:
            return found, []
        note = f"predictions.csv agrees with the model on {agreement:.1%} of {len(made)} sentences"
        return found, [f"{note}: the model's own predictions count"]


def _handed_in(files: dict[str, bytes], hidden: HiddenLabels) -> tuple[list[int] | None, str]:
    """predictions.csv as labels in the order of the split; or None, and a note why not."""
    name = next((name for name in files if name.endswith(".csv")), "")
    if not name:
        return None, "no predictions.csv was handed in"
    if other := other_data(files, hidden):
        return None, f"{name} was made for other sentences, or for these in another order{other}"
    wanted = len(hidden.labels)
    try:
        reader = csv.DictReader(io.StringIO(files[name].decode("utf-8-sig")))
        lines = itertools.islice(reader, wanted + 1)
        found = {int(line["row"]): int(line["prediction"]) for line in lines}
    except (ValueError, KeyError, TypeError, csv.Error) as error:
        return None, f"{name} cannot be read ({type(error).__name__}): wanted row,prediction"
    if found.keys() != set(range(wanted)):
        return None, f"{name} has not one row for each of {wanted} sentences, 0 to {wanted - 1}"
    return [found[row] for row in range(wanted)], ""
