"""The interface of a scorer, which a course names; and the labels that only judges see."""

import json
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, Protocol

from ...course.assignment import Assignment
from ...course.course import Course
from ...course.fallback import Card, place_of
from ...gradebook.exercise_result import ModelResult

MAX_CONFIG = 2**20  # bytes of config.json; parsed, they take up to 50 times as much memory


class Unusable(Exception):
    """The submitted files or the model's answers cannot be used; the message says why."""


class Scorer(Protocol):
    """How one kind of answer is read and scored, such as labels or translations."""

    @property
    def blank(self) -> dict[str, Any]:
        """The result fields that `score` fills, with the values they have before."""
        ...

    first: int  # texts in the first call
    most: int  # texts in a later call, at most
    asked_again: int  # texts that the notebook's code answers too, to compare it with the weights
    min_agreement: float  # share of these that must have the same answer
    probe: int  # texts that lose a word, in the check for a lookup table
    shuffled: int  # texts that are asked again with shuffled weights
    max_same: float  # share of answers that may be the same with shuffled weights
    min_alike: float  # how alike answers must stay when sentences lose a word
    noun: str  # what an answer is called in messages, in the plural
    verb: str  # the participle for producing answers in messages
    sample: str  # the note if only some sentences were answered
    unit: str  # of the score, behind a number: "%"
    unit_in_words: str  # "% of the hidden labels right"
    unit_in_handouts: str  # "% test accuracy"
    compared: tuple[str, str]  # in handouts: the model's answers, and with what

    def read(self, value: Any, expected: int, function: str) -> list[Any]:
        """A call's value as `expected` answers. Raises Unusable for anything else."""
        ...

    def same(self, answers: Sequence[Any], others: Sequence[Any]) -> float:
        """Share of answers that are the same in both and not empty."""
        ...

    def alike(self, answers: Sequence[Any], others: Sequence[Any]) -> float:
        """Similarity of two lists of answers, 0 to 1."""
        ...

    def score(
        self,
        answers: Sequence[Any],
        rows: Sequence[int],
        files: dict[str, bytes],
        hidden: "HiddenLabels",
    ) -> tuple[dict[str, Any], list[str]]:
        """Result fields, `score` among them, and notes; `rows` are those of the answered ones."""
        ...

    def calibration(
        self, measures: dict[str, dict[str, Any]], examples: int
    ) -> tuple[float, float, float]:
        """Mean and standard deviation over seeds, and the standard error on `examples`.

        `measures` are those of a results file. Raises KeyError if it has others.
        """
        ...

    def sentences(self, model: ModelResult) -> list[str]:
        """Sentences for the student about a score, the score itself in the first one."""
        ...


def about(files: dict[str, bytes], key: str) -> dict[str, Any]:
    """A table of config.json; empty if it is missing, malformed or far too long."""
    text = files.get("config.json", b"{}")
    try:
        found = json.loads(text if len(text) <= MAX_CONFIG else b"{}")[key]
    except (ValueError, KeyError, TypeError, RecursionError):
        return {}
    return found if isinstance(found, dict) else {}


def computed(model: ModelResult, function: str) -> str:
    """How the answers of a scored model were computed; no full stop."""
    on = f"{model.recomputed:,} of {model.examples:,} sentences, in {model.seconds:.0f} s"
    if model.disputed or model.same is None:
        return f"The grader ran your {function} again on {on}"
    return (
        f"The grader computed these answers from your weights, for {on}; your own {function} gave "
        f"the same for {model.same} of {model.compared}"
    )


def other_data(files: dict[str, bytes], hidden: "HiddenLabels") -> str:
    """The source that config.json names if its sentences differ from ours; "" if they do not."""
    data = about(files, "data")
    if data.get("fingerprint", hidden.fingerprint) == hidden.fingerprint:
        return ""
    return f" (from: {str(data.get('source'))[:40]})"


@dataclass(frozen=True)
class HiddenLabels:
    """A test split. Models see its sentences, never its labels or references."""

    source: str
    sentences: tuple[str, ...]
    labels: tuple[int, ...] | tuple[str, ...]
    fingerprint: str
    fallback: str = ""  # SHA-256 of the fallback model's weights; "": none is known
    is_real: bool = True  # not of a stand-in for the real data


def hidden_labels(course: Course, assignment: Assignment, sources: Sequence[str]) -> HiddenLabels:
    """The split that the course's plugin `hidden_labels` gives from the first source that works.

    With it goes what the card of the fallback model says, if the instructor has one. Raises what
    the plugin raises, and SetupError for a damaged card.
    """
    model = assignment.model
    assert model is not None
    found: HiddenLabels = course.plugin("hidden_labels")(model, sources)
    place = place_of(assignment.id)
    return replace(found, fallback=Card.read(place).files[model.weights] if place else "")
