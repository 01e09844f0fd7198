"""Test labels or reference translations for scoring trained models; only the judge sees them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from ...course.assignment import Assignment
from ...course.course import Course
from ...course.fallback import Card, place_of


@dataclass(frozen=True)
class HiddenLabels:
    """A test split. Models see its sentences, never its labels or references."""

    source: str
    sentences: tuple[str, ...]
    labels: tuple[int, ...] | tuple[str, ...]
    fingerprint: str
    fallback: str = ""  # SHA-256 of the fallback model's weights; "": none is known
    is_real: bool = True  # not of a stand-in for the real data
    cues: Mapping[str, float] = field(default_factory=dict)  # words that decide a label: log odds


def load(course: Course, assignment: Assignment, sources: Sequence[str]) -> HiddenLabels:
    """The split that the course's plugin `hidden_labels` gives from the first source that works.

    With it goes what the card of the fallback model says, if the instructor has one. Raises what
    the plugin raises, and SetupError for a damaged card.
    """
    model = assignment.model
    assert model is not None
    found: HiddenLabels = course.plugin("hidden_labels")(model, sources)
    place = place_of(assignment.id)
    return replace(found, fallback=Card.read(place).files[model.weights] if place else "")
