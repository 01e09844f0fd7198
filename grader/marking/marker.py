"""Who marks, which share of the work is theirs, and what they can take back."""

from __future__ import annotations

from dataclasses import dataclass, field

from .entries import Card, Entry


@dataclass
class Marker:
    """One marker at one page.

    If several mark, `everybody` names all of them, and questions or students are shared out: the
    same way on every machine that is given the same names. `done` are the marks given from this
    page, oldest first.
    """

    name: str
    everybody: tuple[str, ...] = ()
    by_question: bool = False
    anonymous: bool = False
    done: list[Done] = field(default_factory=list)

    @property
    def shares(self) -> bool:
        return len({*self.everybody, self.name}) > 1

    def has(self, question: int, card: Card) -> bool:
        """Whether a card of the question with this number is in this marker's share."""
        names = sorted({*self.everybody, self.name})
        number = question if self.by_question else int(card.place, 16)
        return names[number % len(names)] == self.name


@dataclass(frozen=True)
class Done:
    """One mark given to some answers, each with the version that it has since."""

    sentence: str
    assignment: str
    item: str
    entries: tuple[tuple[Entry, int], ...]
