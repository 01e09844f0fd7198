"""Grades again only exercises whose tests or points changed, the others are a stored result's.

A stored result says for each exercise what its tests were, and for the whole what every exercise
depends on (`fingerprints.parts`). If only some code exercises' own part differs, these run again,
with those that depend on them (a mistake may be carried through) and those that they depend on
(their failures decide what is carried through). The rest of the result is what a new run would
give, because a test sees the submission and not the other exercises' tests. Where that is not
sure, nothing is taken from the stored result: if a call took too long, crashed or was refused
anywhere, or if the submission prints.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from grader.course.assignment import Assignment

from ..gradebook.result import PRINTED, Key, Result, key_of
from ..judge import reruns

if TYPE_CHECKING:
    from ..judge.grade import Try

GRADED = "GRADED"


@dataclass(frozen=True)
class Known:
    """A stored result, and the exercises that have to run again."""

    result: Result
    again: tuple[str, ...]


def known(
    stored: Result | None, key: Key, parts: Mapping[str, str], assignment: Assignment
) -> Known | None:
    """The reusable part of a student's newest result; None if all must run again.

    `key` and `parts` are those of the submission as it is now.
    """
    if stored is None or not is_usable(stored):
        return None
    before = stored.suite_parts
    same = key_of(stored)._replace(suite_sha256=key.suite_sha256) == key
    if not same or before.keys() != parts.keys():
        return None
    changed = {id for id in parts if before[id] != parts[id]}
    if not changed or not changed <= {e.id for e in assignment.exercises if e.kind == "code"}:
        return None  # what all exercises depend on, or a model's thresholds
    after = {id for one in changed for id in [one, *assignment.downstream(one)]}
    again = {id for one in after for id in [one, *assignment.upstream(assignment.exercise(one))]}
    return Known(stored, tuple(e.id for e in assignment.exercises if e.id in again))


def is_usable(result: Result) -> bool:
    """Whether each exercise's part of this result would be the same in a run of its own."""
    doubtful = reruns.needs_second_try(result) or result.outcome != GRADED
    return not (doubtful or any(notice.startswith(PRINTED) for notice in result.notices))


def whole(known: Known | None, tried: "Try", assignment: Assignment) -> Result:
    """The result of a try; of one of some exercises alone, the stored result with these.

    It has no time of grading yet.
    """
    fresh = tried.result
    if known is None or tried.only != known.again:
        return fresh
    new = {entry.id: entry for entry in fresh.exercises if entry.kind == "code"}
    exercises = [new.get(entry.id, entry) for entry in known.result.exercises]
    waits = known.result.provisional or fresh.provisional
    facts = {"provisional": True} if waits else {}
    return known.result.changed(assignment, exercises=exercises, graded_at="", **facts)
