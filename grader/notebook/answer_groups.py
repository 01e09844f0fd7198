"""Equal and nearly equal answers, to be marked together.

Two answers are equal if they have the same words in the same order: case, space, emphasis and the
marks between sentences do not count. They are nearly equal if, besides, at most one word in twenty
differs while every number, sign and formula is the same; a page shows which words these are. Every
answer of a group is compared with the group's first, so that no chain of small steps joins two that
differ much.
"""

import difflib
import re
from collections import Counter
from collections.abc import Iterable
from typing import NamedTuple

NEAR = 0.95  # of the words of two answers, in the same order
MAX_WORDS = 400  # of a longer answer, every word counts: comparing could take minutes
_TOKEN = re.compile(r"[^\W\d_]+(?:['’][^\W\d_]+)*|\d+(?:[.,]\d+)*|[^\s]")
_BETWEEN = frozenset(".,;:!?*_`\"“”„’'()…")  # no formula depends on these alone


class Content(NamedTuple):
    words: tuple[str, ...]
    exact: tuple[str, ...]  # numbers, signs and formulas: all that is no word


def groups(texts: Iterable[str]) -> list[list[int]]:
    """The positions of the texts, by group; groups and their members keep their first order."""
    first: list[tuple[Content, Counter[str]]] = []
    equal: dict[Content, int] = {}
    found: list[list[int]] = []
    for position, text in enumerate(texts):
        own = content(text)
        group = equal.get(own)
        if group is None:
            counted = Counter(own.words)
            group = next(
                (n for n, (other, words) in enumerate(first) if _near(own, counted, other, words)),
                None,
            )
            if group is None:
                group = len(found)
                found.append([])
                first.append((own, counted))
            equal[own] = group
        found[group].append(position)
    return found


def content(text: str) -> Content:
    """The part of an answer that matters: it is the same for equal ones."""
    tokens = [token.casefold() for token in _TOKEN.findall(text)]
    words = tuple(token for token in tokens if token[0].isalpha())
    exact = tuple(t for t in tokens if not t[0].isalpha() and t not in _BETWEEN)
    return Content(words, exact)


def _near(one: Content, counted: Counter[str], other: Content, words: Counter[str]) -> bool:
    if max(len(one.words), len(other.words)) > MAX_WORDS:
        return False
    most = NEAR * (len(one.words) + len(other.words)) / 2
    if one.exact != other.exact or min(len(one.words), len(other.words)) < most:
        return False
    if sum((counted & words).values()) < most:  # whatever their order: cheap, and most end here
        return False
    return difflib.SequenceMatcher(None, one.words, other.words, autojunk=False).ratio() >= NEAR
