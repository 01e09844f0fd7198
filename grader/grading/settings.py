"""How a class is graded."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from ..course.problem import Problem

if TYPE_CHECKING:
    from ..judge.models.scorer import HiddenLabels


@dataclass(frozen=True)
class Settings:
    """How a class is graded."""

    jobs: int = 2
    tier: str = "A"  # the best this machine offers
    min_tier: str = "C"  # refuse to grade with a worse one
    regrade: bool = False
    exercises: tuple[str, ...] | None = None
    hidden: dict[str, HiddenLabels] = field(default_factory=dict)  # by assignment
    keep: bool = True  # store the results
    executor: str = "processes"  # or one of `cluster`'s


class ClusterError(Problem):
    """The executor's cluster cannot be used; says why and what to do."""
