"""Generate phrases in English and French together; words that translate each other share a link."""

import random
from collections.abc import Sequence
from functools import lru_cache
from itertools import count
from typing import NamedTuple, TypeVar

from . import english_forms, french_forms, lexicon
from .word_tables import tables

Item = TypeVar("Item")
Links = frozenset[int]

POSSESSIVES, NUMBERS = tables()["possessives"], tables()["numbers"]
SUBJECTS, OBJECTS = tables()["subjects"], tables()["objects"]
DEFINITE = ("the", "the", "this", *POSSESSIVES)
ALL_DETERMINERS = ("the",) * 8 + ("a",) * 6 + ("this",) * 3 + ("every", "many", *NUMBERS)


class Word(NamedTuple):
    """A word of one side, and the links that it shares with words of the other."""

    text: str
    links: Links


class NounPhrase(NamedTuple):
    """A noun phrase or a pronoun; `person` counts from 0: I, …, it (2), …, they (5)."""

    english: list[Word]
    french: list[Word]
    person: int
    gender: str
    is_plural: bool


class Draw:
    """Choices for one sentence. Of `random` only `random()` is promised to stay the same."""

    def __init__(self, generator: random.Random) -> None:
        self._generator = generator
        self._numbers = count()

    def one(self, items: Sequence[Item]) -> Item:
        """One of the choices, uniformly."""
        return items[int(self._generator.random() * len(items))]

    def chance(self, probability: float) -> bool:
        """True with the given probability."""
        return self._generator.random() < probability

    def link(self) -> Links:
        """A new link."""
        return frozenset({next(self._numbers)})


@lru_cache(maxsize=64)
def _nouns(kinds: frozenset[str]) -> list[lexicon.Noun]:
    return [noun for noun in lexicon.nouns() if noun.kind in kinds]


@lru_cache(maxsize=64)
def adjectives(kind: str, before: bool) -> list[lexicon.Adjective]:
    """Those that go with a kind of noun and come before it, or after it, in French."""
    every = lexicon.adjectives()
    return [one for one in every if kind in one.kinds and one.before == before]


def pronoun_subject(draw: Draw) -> NounPhrase:
    """I, he, she, we, you (always several) or they (always masculine)."""
    english = draw.one(tuple(SUBJECTS))
    french, person, gender = SUBJECTS[english]
    link = draw.link()
    return NounPhrase([Word(english, link)], [Word(french, link)], person, gender, person > 2)


def pronoun_object(draw: Draw, subject: NounPhrase, indirect: bool) -> NounPhrase:
    """A pronoun for somebody else than the subject; the French one comes before the verb."""
    first, you = (0, 3), (4,)
    same = first if subject.person in first else you if subject.person in you else ()
    english = draw.one([word for word, entry in OBJECTS.items() if entry[2] not in same])
    entry = OBJECTS[english]
    link = draw.link()
    french = [Word(entry[1] if indirect else entry[0], link)]
    return NounPhrase([Word(english, link)], french, entry[2], entry[3], entry[2] > 2)


def noun_phrase(
    draw: Draw,
    kinds: frozenset[str],
    determiners: Sequence[str] = ALL_DETERMINERS,
    negated: bool = False,
) -> NounPhrase:
    """Determiner, adjectives, noun. After a negated verb "a" is "de" in French."""
    noun = draw.one(_nouns(kinds))
    determiner = draw.one(determiners)
    if determiner == "the" and draw.chance(0.25):
        determiner = draw.one(tuple(POSSESSIVES))
    is_plural = determiner in ("many", *NUMBERS) or (determiner != "every" and draw.chance(0.35))
    if negated and determiner == "a":
        is_plural = False
    words = _noun_and_adjectives(draw, noun, is_plural)
    link = draw.link()
    french = _french_determiner(
        determiner, noun.gender, is_plural, words.french[0].text, words.before, negated
    )
    english = _english_determiner(determiner, is_plural, words.english[0].text)
    return NounPhrase(
        [Word(english, link), *words.english],
        [*(Word(text, link) for text in french), *words.french],
        5 if is_plural else 2,
        noun.gender,
        is_plural,
    )


class _Nominal(NamedTuple):
    english: list[Word]
    french: list[Word]
    before: bool  # an adjective stands before the noun in French


def _noun_and_adjectives(draw: Draw, noun: lexicon.Noun, is_plural: bool) -> _Nominal:
    link = draw.link()
    english = [Word(noun.english[is_plural], link)]
    french = [Word(noun.french[is_plural], link)]
    after = adjectives(noun.kind, before=False)
    before = adjectives(noun.kind, before=True)
    if after and draw.chance(0.25):
        adjective, link = draw.one(after), draw.link()
        masculine, feminine, _ = adjective.french
        form = french_forms.agree(masculine, feminine, noun.gender, is_plural)
        english, french = [Word(adjective.english, link), *english], [*french, Word(form, link)]
    if not before or not draw.chance(0.25):
        return _Nominal(english, french, False)
    adjective, link = draw.one(before), draw.link()
    masculine, feminine, vowel = adjective.french
    if not is_plural and french_forms.begins_with_vowel(french[0].text):
        masculine = vowel
    form = french_forms.agree(masculine, feminine, noun.gender, is_plural)
    return _Nominal([Word(adjective.english, link), *english], [Word(form, link), *french], True)


def _english_determiner(determiner: str, is_plural: bool, following: str) -> str:
    if determiner == "a":
        return "some" if is_plural else english_forms.article(following)
    return "these" if determiner == "this" and is_plural else determiner


def _french_determiner(
    determiner: str, gender: str, is_plural: bool, following: str, before: bool, negated: bool
) -> list[str]:
    if determiner in NUMBERS:
        return [NUMBERS[determiner]]
    if determiner in POSSESSIVES:
        masculine, feminine, plural = POSSESSIVES[determiner]
        one = french_forms.possessive(masculine, feminine, gender, following)
        return [plural if is_plural else one]
    if determiner == "this":
        return [french_forms.demonstrative(gender, is_plural, following)]
    if determiner == "a" and is_plural:
        return ["de" if before else "des"]  # "de petits chats"
    if determiner == "a":
        return ["de" if negated else "un" if gender == "m" else "une"]
    if determiner == "many":
        return ["beaucoup", "de"]
    if determiner == "every":
        return ["chaque"]
    return ["les" if is_plural else "le" if gender == "m" else "la"]


def possessor(draw: Draw, kinds: frozenset[str]) -> NounPhrase:
    """ "the teacher's book", in French "le livre du professeur"."""
    owner = noun_phrase(draw, frozenset({"person"}), DEFINITE)
    while owner.is_plural:
        owner = noun_phrase(draw, frozenset({"person"}), DEFINITE)
    noun = draw.one(_nouns(kinds))
    is_plural = draw.chance(0.25)
    words = _noun_and_adjectives(draw, noun, is_plural)
    link = draw.link()
    article = "les" if is_plural else "le" if noun.gender == "m" else "la"
    english = [*owner.english, Word("'s", link), *words.english]
    french = [Word(article, link), *words.french, Word("de", link), *owner.french]
    return NounPhrase(english, french, 5 if is_plural else 2, noun.gender, is_plural)
