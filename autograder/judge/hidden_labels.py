"""The labels that a trained model is scored with; they never leave the judge."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import get_args

from course_lib.data_registry import Source
from course_lib.syllabus import Assignment

SOURCES = get_args(Source)
REAL: tuple[Source, ...] = (
    "mirror",
    "hub",
)  # sources of the very data set: a class is graded with nothing else


@dataclass(frozen=True)
class HiddenLabels:
    """A test split: its sentences may be shown to a model, its labels may not."""

    source: str
    sentences: tuple[str, ...]
    labels: tuple[int, ...]
    fingerprint: str


def load(assignment: Assignment, sources: Sequence[Source] = REAL) -> HiddenLabels:
    """The split that course.toml names. Raises course_lib.datasets.DataError when none serves."""
    from course_lib import datasets

    assert assignment.model is not None
    name, split = assignment.model.dataset, assignment.model.split
    data = datasets.load(name, sources=sources)
    rows = data[split][:]
    return HiddenLabels(
        data.source, tuple(rows["sentence"]), tuple(rows["label"]), data.fingerprint(split)
    )
