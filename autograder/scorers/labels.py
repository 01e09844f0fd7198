"""The test split of a data set, which trained models are scored with and students never see."""

from collections.abc import Sequence
from typing import get_args

from course_lib.data import datasets, registry
from course_lib.data.registry import Source
from grader.course.exercise import ModelPart
from grader.judge.models.scorer import HiddenLabels

SOURCES = get_args(Source)  # in the order of preference
REAL: tuple[Source, ...] = ("mirror", "hub")  # sources of the real data, needed to grade a class


def load(model: ModelPart, sources: Sequence[Source]) -> HiddenLabels:
    """The split that course.toml names, from the first of `sources` that works.

    Raises DataError if none does, or if one is unknown.
    """
    if unknown := [name for name in sources if name not in SOURCES]:
        known = f"one or more of {', '.join(SOURCES)}, or none"
        raise registry.DataError(f"--labels-from {unknown[0]}: give {known}")
    entry = registry.read(registry.REGISTRY).entry(model.dataset)
    served = [source for source in sources if source in entry.sources]
    data = datasets.load(model.dataset, sources=served or sources)
    rows = data[model.split][:]
    return HiddenLabels(
        data.source,
        tuple(rows[model.source]),
        tuple(rows[model.target]),
        data.fingerprint(model.split),
        is_real=data.source in REAL,
    )
