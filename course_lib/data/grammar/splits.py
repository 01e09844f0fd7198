"""Splits of what a grammar draws: the same on every machine, nothing twice."""

import random
from collections.abc import Callable, Mapping
from typing import Any, TypeVar

Example = TypeVar("Example", bound=tuple[Any, ...])


def distinct(
    draw: Callable[[random.Random], Example], sizes: Mapping[str, int], seed: int
) -> dict[str, list[Example]]:
    """Draw until every split has its size; no two examples begin with the same text."""
    generator = random.Random(seed)
    found: dict[str, Example] = {}
    while len(found) < sum(sizes.values()):
        example = draw(generator)
        found.setdefault(example[0], example)
    rest = iter(found.values())
    return {split: [next(rest) for _ in range(size)] for split, size in sizes.items()}
