"""Other answers with the same words, or nearly the same, and the marks that they have."""

from collections.abc import Sequence
from dataclasses import dataclass

from ..notebook import answer_groups
from .entries import Card, Entry


@dataclass(frozen=True)
class Same:
    """Some points that answers of one group have, and who gave them."""

    exact: bool  # the same words; else nearly the same
    points: float
    markers: tuple[str, ...]
    students: int
    example: Entry  # has the most frequent of these marks


def others(found: Sequence[Card], card: Card) -> list[Same]:
    """The other points that answers like those of the card have: exact ones first, most first."""
    mine, groups = card.first.answer, dict[tuple[bool, float], list[Entry]]()
    for other in found:
        for entry in other.entries if other.group == card.group else ():
            mark = entry.answer.mark
            if not entry.answer.marked or mark is None or mark.points is None:
                continue
            if not mine.marked or mine.mark is None or mine.mark.points != mark.points:
                exact = answer_groups.content(entry.answer.text) == answer_groups.content(mine.text)
                groups.setdefault((exact, mark.points), []).append(entry)
    same = [_same(exact, points, entries) for (exact, points), entries in groups.items()]
    return sorted(same, key=lambda one: (not one.exact, -one.students, -one.points))


def _same(exact: bool, points: float, entries: Sequence[Entry]) -> Same:
    states = [entry.state for entry in entries]
    markers = sorted({entry.answer.mark.marker for entry in entries if entry.answer.mark})
    return Same(
        exact,
        points,
        tuple(markers),
        sum(len(entry.answer.students) for entry in entries),
        max(entries, key=lambda entry: states.count(entry.state)),
    )
