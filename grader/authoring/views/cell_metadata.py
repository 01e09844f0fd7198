"""nbgrader's metadata of a cell, schema 3."""

from __future__ import annotations

from typing import Any


def nbgrader(
    grade_id: str,
    *,
    grade: bool = False,
    solution: bool = False,
    locked: bool = False,
    task: bool = False,
    points: float | None = None,
) -> dict[str, Any]:
    """A graded solution cell is marked manually, as is a task: a locked text with points."""
    meta = {
        "grade": grade,
        "grade_id": grade_id,
        "locked": locked,
        "schema_version": 3,
        "solution": solution,
        "task": task,
    }
    return meta if points is None else {**meta, "points": points}
