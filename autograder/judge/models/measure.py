"""What the kinds of trained models differ in: how answers are read, and what they are worth."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any, Protocol

from .hidden_labels import HiddenLabels


class Unusable(Exception):
    """What was handed in, or what came back, is no model's; one sentence."""


class Measure(Protocol):
    """One kind of answer, such as labels or translations."""

    @property
    def blank(self) -> dict[str, Any]:
        """The fields of a result that `score` fills, before there is a score."""
        ...

    first: int  # texts of the first call
    most: int  # texts of a later call
    probe: int  # texts for which the model is asked again with shuffled weights
    may_stay: float  # share of answers that may be the same then
    least_alike: float  # what answers for sentences that lack a word have in common with the others
    answers: str  # what they are called
    asked: str  # what was done to the sentences
    sample: str  # what follows when only some of them were

    def read(self, value: Any, wanted: int, function: str) -> list[Any]:
        """A call's value as `wanted` answers. Raises Unusable for anything else."""
        ...

    def same(self, made: Sequence[Any], others: Sequence[Any]) -> float:
        """Share of answers that say something and are the same in both."""
        ...

    def alike(self, made: Sequence[Any], others: Sequence[Any]) -> float:
        """How much two lists of answers have in common, 0 to 1."""
        ...

    def score(
        self,
        made: Sequence[Any],
        rows: Sequence[int],
        files: dict[str, bytes],
        hidden: HiddenLabels,
    ) -> tuple[dict[str, Any], list[str]]:
        """Fields of the result, and notes. `rows` says which sentence each answer is for."""
        ...


def about(files: dict[str, bytes], key: str) -> dict[str, Any]:
    """A table of config.json; empty when there is none, whatever the file holds."""
    try:
        found = json.loads(files.get("config.json", b"{}"))[key]
    except (ValueError, KeyError, TypeError, RecursionError):
        return {}
    return found if isinstance(found, dict) else {}


def other_data(files: dict[str, bytes], hidden: HiddenLabels) -> str:
    """Where config.json says that other sentences came from; "" for the same sentences."""
    data = about(files, "data")
    if data.get("fingerprint", hidden.fingerprint) == hidden.fingerprint:
        return ""
    return f" (from: {str(data.get('source'))[:40]})"
