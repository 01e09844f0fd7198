"""A notebook's definitions, executed in this process."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from ..course.course import Assignment
from ..notebook.collect import collect
from ..seam.loading import load
from . import work
from .work import Work


def loaded(found: Work, besides: Sequence[str] = ()) -> tuple[dict[str, Any], dict[str, str]]:
    """The namespace, and the reason for each missing name; see `seam.loading`.

    `besides`: names that are needed, but that no exercise asks for.
    """
    collected = collect(found.cells, [*found.names, *besides])
    statements = [asdict(statement) for statement in collected.statements]
    job = {"statements": statements, "unavailable": collected.unavailable, "substitutes": []}
    namespace, unavailable, _ = load(job)
    return namespace, unavailable


@dataclass(frozen=True)
class Notebooks:
    """What a command of the course's own gets: the notebooks of an assignment."""

    assignment: Assignment

    @property
    def folder(self) -> Path:
        """Where the assignment's notebook stands."""
        return self.assignment.folder

    def functions(
        self, notebook: Path, names: Sequence[str]
    ) -> tuple[dict[str, Any], dict[str, str]]:
        """What a notebook defines, these names included, and why others are missing."""
        return loaded(work.read(self.assignment, notebook), names)
