"""What changed from one grading of a submission to the next, and by how many points."""

from __future__ import annotations

from operator import attrgetter
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .result import Result

_DEPENDS_ON = {
    "submission": attrgetter("submission.sha256"),
    "suite": attrgetter("suite_sha256"),
    "environment": attrgetter("environment_sha256"),
    "seed": attrgetter("seed"),
    "tier": attrgetter("tier"),
    "time of receipt": attrgetter("submission.received"),
}


def entries(results: list[Result]) -> list[dict[str, Any]]:
    """One entry per result of one student and assignment, oldest first.

    Entry: graded_at, outcome, total, `changed` (names of what differs from the previous one),
    `points` (difference of the totals, None for the first), `exercises` (differences by id) and
    `sentence` (all of this in words).
    """
    befores = [None, *results][:-1]
    return [_entry(before, now) for before, now in zip(befores, results, strict=True)]


def _entry(before: Result | None, now: Result) -> dict[str, Any]:
    total = now.totals.total or 0.0  # None if the grader failed
    entry = {"graded_at": now.graded_at, "outcome": now.outcome, "total": total}
    if before is None:
        sentence = f"graded for the first time: {total:g} points"
        return {**entry, "changed": [], "points": None, "exercises": {}, "sentence": sentence}
    changed = [name for name, of in _DEPENDS_ON.items() if of(before) != of(now)]
    points = round(total - (before.totals.total or 0.0), 2)
    exercises = _by_exercise(before, now)
    what = f"{_listed(changed)} changed" if changed else "graded again, with nothing changed"
    where = ", ".join(f"{id} {difference:+g}" for id, difference in exercises.items())
    sentence = f"{what}: {total:g} points ({points:+g}{f'; {where}' if where else ''})"
    found = {"changed": changed, "points": points, "exercises": exercises, "sentence": sentence}
    return {**entry, **found}


def _by_exercise(before: Result, now: Result) -> dict[str, float]:
    earlier = {e.id: e.points or 0.0 for e in before.exercises}
    differences = {
        e.id: round((e.points or 0.0) - earlier.get(e.id, 0.0), 2) for e in now.exercises
    }
    return {id: difference for id, difference in differences.items() if difference}


def _listed(names: list[str]) -> str:
    return " and ".join([", ".join(names[:-1]), names[-1]] if len(names) > 1 else names)
