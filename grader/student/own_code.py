"""A notebook's definitions, executed in this process."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

from ..notebook.collect import collect
from ..seam.loading import load
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
