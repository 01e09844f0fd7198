"""Finds the pairs of students whose work is too similar to be independent.

Counted is only what is rare: not what every student was given, not what the course's own solution
says (who copied that is compared with it), and not what more than `common` students wrote.
`course bench similar` measured the thresholds: no pair of independent correct variants comes near
them, and disguised copies exceed them. Students who follow the same hints are more alike than these
variants are, so the gap is needed, and a pair is a reason to look, not a proof.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import TypeVar

from .own_work import ELSEWHERE, Work

T = TypeVar("T")
SOLUTION = "the course's solution"
WHOLE, EXERCISE = 0.4, 0.8  # shares of an assignment, and of one exercise, that are suspicious
LEAST = 20  # shared fingerprints, some 15 lines: fewer say nothing
COMMON = 10  # students: what more than these wrote is not rare


@dataclass(frozen=True)
class Overlap:
    """Fingerprints that two students share, and how many the one with fewer has."""

    shared: int
    of: int

    @classmethod
    def between(cls, first: frozenset[int], second: frozenset[int]) -> "Overlap":
        return cls(len(first & second), min(len(first), len(second)))

    @property
    def share(self) -> float:
        return self.shared / max(1, self.of)

    def reaches(self, share: float) -> bool:
        return self.shared >= LEAST and self.share >= share


@dataclass(frozen=True)
class Pair:
    """Two students' work and what of it is the same."""

    first: Work
    second: Work
    whole: Overlap
    exercises: dict[str, Overlap]  # those with anything in common
    identical: bool  # the same code, but for comments and layout

    @property
    def copied(self) -> list[str]:
        """The exercises, or the helpers of none, that are suspicious by themselves."""
        found = [id for id, overlap in self.exercises.items() if overlap.reaches(EXERCISE)]
        return ["helpers" if id == ELSEWHERE else id for id in found]

    @property
    def suspicious(self) -> bool:
        return self.identical or self.whole.reaches(WHOLE) or bool(self.copied)


def suspicious(
    works: Sequence[Work], solution: Work | None = None, common: int = COMMON
) -> list[Pair]:
    """The suspicious pairs of a class, also with the course's solution, the most similar first."""
    found = [*close(works, solution, common)]
    if solution is not None:
        found += [compared(work, solution) for work in works]
    names = {id(work): number for number, work in enumerate(works)}
    return sorted(
        (pair for pair in found if pair.suspicious),
        key=lambda pair: (-pair.identical, -pair.whole.share, names[id(pair.first)]),
    )


def close(
    works: Sequence[Work], solution: Work | None = None, common: int = COMMON
) -> Iterator[Pair]:
    """The pairs of students who share enough to be compared, suspicious or not."""
    owners = _owners((number, hash) for number, w in enumerate(works) for hash in w.fingerprints)
    known = solution.fingerprints if solution else frozenset[int]()
    ignored: frozenset[int] = known | {hash for hash, who in owners.items() if len(who) > common}
    counts = Counter(
        pair for hash in owners.keys() - ignored for pair in combinations(owners[hash], 2)
    )
    chosen = {pair for pair, shared in counts.items() if shared >= LEAST}
    texts = _owners((n, work.text) for n, work in enumerate(works) if _is_enough(work))
    if solution:  # whoever has its very text is listed with it, and need not be with each other
        texts.pop(solution.text, None)
    chosen.update(pair for who in texts.values() for pair in combinations(who, 2))
    for first, second in sorted(chosen):
        yield compared(works[first], works[second], ignored)


def compared(first: Work, second: Work, ignored: frozenset[int] = frozenset()) -> Pair:
    """Two students' work, without the fingerprints in `ignored`."""
    overlaps = {
        id: Overlap.between(first.of(id) - ignored, second.of(id) - ignored)
        for id in sorted(first.exercises.keys() & second.exercises.keys(), key=_in_order)
    }
    return Pair(
        first,
        second,
        Overlap.between(first.fingerprints - ignored, second.fingerprints - ignored),
        {id: overlap for id, overlap in overlaps.items() if overlap.shared},
        _is_enough(first) and first.text == second.text,
    )


def _owners(found: Iterable[tuple[int, T]]) -> dict[T, list[int]]:
    """For each thing, the numbers of those who have it."""
    owners: dict[T, list[int]] = {}
    for number, thing in found:
        owners.setdefault(thing, []).append(number)
    return owners


def _in_order(exercise: str) -> list[int]:
    return [int(part) for part in exercise.split(".") if part]


def _is_enough(work: Work) -> bool:
    return len(work.fingerprints) >= LEAST
