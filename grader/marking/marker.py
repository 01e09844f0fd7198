"""Who marks, and which share of the work is theirs."""

from __future__ import annotations

from dataclasses import dataclass

from .entries import Card


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
