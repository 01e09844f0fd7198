"""The answers to one question as they lie on the desk, by group and mark, and who marks which."""

import hashlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from ..gradebook.marking import Answer
from ..notebook import answer_groups
from ..notebook.answer_groups import groups
from .colleagues import Asked

Filter = Callable[["Entry", str], bool]


@dataclass(frozen=True)
class Entry:
    """One answer. `key` names it in addresses, `number` on the page; neither tells whose it is."""

    key: str
    number: int
    answer: Answer
    asked: Asked | None = None  # if it is in question

    @property
    def state(self) -> tuple[object, ...]:
        """The common state of answers that are marked together; a version need not be."""
        mark = self.answer.mark
        return mark, mark and mark.rubric, self.answer.changed, self.asked


@dataclass(frozen=True)
class Card:
    """Answers that are shown and marked together: equal or nearly so, and with the same mark."""

    entries: tuple[Entry, ...]
    group: int  # the number of the group that they are of
    place: str  # names this group, for markers to see each other

    @property
    def first(self) -> Entry:
        return self.entries[0]

    def shows(self, name: str, marker: str) -> bool:
        return any(FILTERS[name](entry, marker) for entry in self.entries)


@dataclass(frozen=True)
class Marker:
    """One marker at one page.

    If several mark, `everybody` names all of them, and questions or students are shared out: the
    same way on every machine that is given the same names.
    """

    name: str
    everybody: tuple[str, ...] = ()
    by_question: bool = False
    anonymous: bool = False

    @property
    def shares(self) -> bool:
        return len({*self.everybody, self.name}) > 1

    def has(self, question: int, card: Card) -> bool:
        """Whether a card of the question with this number is in this marker's share."""
        names = sorted({*self.everybody, self.name})
        number = question if self.by_question else int(card.place, 16)
        return names[number % len(names)] == self.name


@dataclass(frozen=True)
class ChangedAnswer:
    """An answer that has another mark, or another text, than the marker saw."""

    entry: Entry
    new_text: bool


def _mine(entry: Entry, marker: str) -> bool:
    mark = entry.answer.mark
    return mark is not None and mark.marker == marker


FILTERS: dict[str, Filter] = {
    "unmarked": lambda entry, marker: not entry.answer.marked,
    "changed": lambda entry, marker: entry.answer.changed,
    "mine": _mine,
    "questioned": lambda entry, marker: entry.asked is not None,
    "all": lambda entry, marker: True,
}


def key_of(answer: Answer) -> str:
    text = "\0".join((answer.students[0], answer.assignment, answer.item))
    return hashlib.sha256(text.encode("utf-8", "backslashreplace")).hexdigest()[:16]


def grouped(answers: Sequence[Answer]) -> list[list[str]]:
    """The keys of the answers, by group: the largest first, else in an order that tells no name.

    Answers with other pictures, or other code that printed something beside them, are not alike.
    """
    by_beside: dict[str, list[Answer]] = {}
    for answer in sorted(answers, key=key_of):
        by_beside.setdefault(answer.beside, []).append(answer)
    keys = [
        [key_of(ordered[position]) for position in group]
        for ordered in by_beside.values()
        for group in groups(answer.text for answer in ordered)
    ]
    return sorted(keys, key=lambda group: -len(group))


def cards(entries: Sequence[Entry], by_group: Sequence[Sequence[str]]) -> list[Card]:
    """The cards of a question, in the order of its groups."""
    named = {entry.key: entry for entry in entries}
    found = []
    for number, keys in enumerate(by_group):
        parts: dict[object, list[Entry]] = {}
        for key in keys:
            parts.setdefault(named[key].state, []).append(named[key])
        found += [Card(tuple(part), number, keys[0]) for part in parts.values()]
    return found


def card_of(found: Sequence[Card], key: str) -> Card | None:
    """The card that has this answer on it."""
    return next((card for card in found if any(e.key == key for e in card.entries)), None)


def neighbor(
    found: Sequence[Card],
    wanted: Callable[[Card], bool],
    current: Card,
    step: int = 1,
    rest_first: bool = False,
) -> Card | None:
    """The wanted card after the current one (or before it, with a step of −1), around at the end.

    With `rest_first`, what is left of its own group comes before anything else.
    """
    at = found.index(current)
    around = [*found[at + 1 :], *found[:at]][::step]
    others = [card for card in around if wanted(card)]
    own = [card for card in others if card.group == current.group] if rest_first else []
    return next(iter([*own, *others]), None)


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
