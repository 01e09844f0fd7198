"""Test labels or reference translations for scoring trained models; only the judge sees them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import get_args

from course_lib.data.registry import Source
from grader.course.course import Assignment
from grader.course.fallback import Card, place_of

SOURCES = get_args(Source)
REAL: tuple[Source, ...] = ("mirror", "hub")  # sources of the real data, needed to grade a class


@dataclass(frozen=True)
class HiddenLabels:
    """A test split. Models see its sentences, never its labels or references."""

    source: str
    sentences: tuple[str, ...]
    labels: tuple[int, ...] | tuple[str, ...]
    fingerprint: str
    fallback: str = ""  # SHA-256 of the fallback model's weights; "": none is known


def load(assignment: Assignment, sources: Sequence[Source] = REAL) -> HiddenLabels:
    """The split that course.toml names, from the first of `sources` that works.

    With it goes what the card of the fallback model says, if the instructor has one. Raises
    course_lib.data.datasets.DataError if no source works, and SetupError for a damaged card.
    """
    from course_lib.data import datasets, registry

    model = assignment.model
    assert model is not None
    entry = registry.read(registry.REGISTRY).entry(model.dataset)
    served = [source for source in sources if source in entry.sources]
    data = datasets.load(model.dataset, sources=served or sources)
    rows = data[model.split][:]
    return HiddenLabels(
        data.source,
        tuple(rows[model.source]),
        tuple(rows[model.target]),
        data.fingerprint(model.split),
        Card.read(place).files[model.weights] if (place := place_of(assignment.id)) else "",
    )
