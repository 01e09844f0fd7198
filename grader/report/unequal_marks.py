"""Equal answers with unequal marks: what a second marker or a late hand-in brings about."""

from collections.abc import Iterable
from dataclasses import dataclass

from ..gradebook.exercise_result import Number, PartResult
from ..gradebook.result import Result
from ..notebook import answer_groups


@dataclass(frozen=True)
class Unequal:
    """Answers with the same words that have different points: who has how many, most first."""

    item: str
    text: str
    students: dict[Number, list[str]]


def unequal_marks(results: Iterable[Result]) -> list[Unequal]:
    """All of them in some results, by item; answers with other pictures are not equal."""
    found: dict[tuple[object, ...], list[tuple[str, PartResult]]] = {}
    for result in results:
        for part in result.parts:
            if part.points is not None:
                beside = part.pictures + part.printed
                key = (result.assignment, part.id, answer_groups.content(part.answer), beside)
                found.setdefault(key, []).append((result.student, part))
    listing = []
    for same in found.values():
        students: dict[Number, list[str]] = {}
        for student, part in sorted(same, key=lambda one: -(one[1].points or 0)):
            students.setdefault(part.points or 0, []).append(student)
        if len(students) > 1:
            listing.append(Unequal(same[0][1].id, same[0][1].answer, students))
    return sorted(listing, key=lambda one: one.item)
