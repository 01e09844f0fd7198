"""Sentence pairs that a grammar makes up, English and French, with their word alignment.

    from course_lib.data.grammar.sentence_pairs import pairs
    english, french, alignment = pairs("test")[0]

Both sides are derived at once, so that the alignment is exact: `(i, j)` says that word i of
`words(english)` and word j of `words(french)` translate each other. The same pairs on every
machine. What they need is more than a dictionary: agreement, order, elision ("l'homme"),
contraction ("au marché"), "ne … pas", pronouns before the verb, and words with two translations
("know": connaître, savoir; "her": la, lui, son).
"""

from __future__ import annotations

import random
import re
from functools import lru_cache

from . import french_forms
from .clauses import Sides, clause, clause_with_that
from .phrases import Draw, Word

Alignment = tuple[tuple[int, int], ...]
Pair = tuple[str, str, Alignment]

SIZES = {"train": 30_000, "validation": 500, "test": 1_000}
LENGTHS = range(4, 15)  # words of the English side, marks included
SEED = 4

# A word: an elided one with its apostrophe, "'s", letters and hyphens, or one mark.
WORD = re.compile(r"(?i:\b(?:qu|[cdjlmnst])'(?=\w))|'s\b|\w+(?:-\w+)*|[^\w\s]")


def words(text: str) -> list[str]:
    """The words and marks that an alignment counts; "l'homme" is "l'" and "homme"."""
    return WORD.findall(text)


def pairs(split: str) -> list[Pair]:
    """Triples (English, French, alignment) of "train", "validation" or "test".

    No English sentence is in two splits or twice in one. Raises ValueError for another split.
    """
    if split not in SIZES:
        raise ValueError(f"there is no split {split!r}: use one of {', '.join(SIZES)}")
    return list(_splits()[split])


def translation() -> dict[str, list[tuple[str, str]]]:
    """Pairs (English, French) of every split, as a data set has them."""
    return {split: [(pair[0], pair[1]) for pair in found] for split, found in _splits().items()}


@lru_cache(maxsize=1)
def _splits() -> dict[str, list[Pair]]:
    generator = random.Random(SEED)
    found: dict[str, Pair] = {}
    while len(found) < sum(SIZES.values()):
        pair = draw_pair(generator)
        found.setdefault(pair[0], pair)
    rest = list(found.values())
    splits = {}
    for name, size in SIZES.items():
        splits[name], rest = rest[:size], rest[size:]
    return splits


def draw_pair(generator: random.Random) -> Pair:
    """One pair of 4 to 14 English words."""
    while True:
        english, french = _sentence(Draw(generator))
        if len(english) in LENGTHS:
            return (
                _written(english, "'s . ?".split()),
                _written(french, ["."]),
                tuple(
                    (i, j)
                    for i, left in enumerate(english)
                    for j, right in enumerate(french)
                    if left.links & right.links
                ),
            )


def _written(sentence: list[Word], attached: list[str]) -> str:
    """Words as text: a capital, blanks between, none after an apostrophe or before a full stop."""
    text = ""
    for word in sentence:
        close = not text or text.endswith("'") or word.text in attached
        text += word.text if close else f" {word.text}"
    return text[0].upper() + text[1:]


def _sentence(draw: Draw) -> Sides:
    question = draw.chance(0.08)
    link = draw.link()
    mark = Word("?" if question else ".", link)
    if not question and draw.chance(0.1):
        english, french = clause_with_that(draw)
    else:
        english, french = clause(draw, question)
    return [*english, mark], [*_spelt(french), mark]


def _spelt(sentence: list[Word]) -> list[Word]:
    """Elision, then contraction: "de le homme" is "de l'homme", "de le roi" is "du roi"."""
    texts = [word.text for word in sentence]
    elided = [french_forms.elide(*two) for two in zip(texts, [*texts[1:], "."], strict=True)]
    found: list[Word] = []
    for text, word in zip(elided, sentence, strict=True):
        short = french_forms.CONTRACTED.get((found[-1].text, text)) if found else None
        if short:
            found[-1] = Word(short, found[-1].links | word.links)
        else:
            found.append(Word(text, word.links))
    return found
