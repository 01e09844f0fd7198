"""The words of the English-French grammar, from the tables of `words.toml`."""

from functools import lru_cache
from typing import NamedTuple

from . import english_forms, french_forms
from .word_tables import tables


class Noun(NamedTuple):
    """A noun, singular and plural, in both languages; `gender` is that of the French one."""

    english: tuple[str, str]
    french: tuple[str, str]
    gender: str  # "m" or "f"
    kind: str  # person, animal, food, text, thing, place


class Adjective(NamedTuple):
    """`french` is masculine, feminine and the masculine before a vowel."""

    english: str
    french: tuple[str, str, str]
    before: bool  # stands before its noun in French
    kinds: frozenset[str]  # of nouns that it goes with


class Verb(NamedTuple):
    """A verb: `english` is base and past, `particle` what follows it ("for", "up")."""

    english: tuple[str, str]
    particle: str
    french: str
    preposition: str  # before the French object
    frame: str  # direct, dative, motion, intransitive, reflexive, give, clause
    objects: frozenset[str]
    with_etre: bool  # être makes its passé composé
    state: bool  # its past is the imparfait


def nouns() -> list[Noun]:
    """All nouns, in the order of the table."""
    return [
        _noun(kind, english, french)
        for kind, words in tables()["nouns"].items()
        for english, french in words.items()
    ]


def _noun(kind: str, english: str, french: str) -> Noun:
    singular, _, plural = english.partition("/")
    forms, gender = french.split()
    one, _, several = forms.partition("/")
    return Noun(
        (singular, plural or english_forms.plural(singular)),
        (one, several or french_forms.plural(one)),
        gender,
        kind,
    )


@lru_cache(maxsize=1)
def kinds() -> dict[str, str]:
    """The kind of every English noun, singular and plural."""
    return {form: noun.kind for noun in reversed(nouns()) for form in noun.english}


def adjectives() -> list[Adjective]:
    """All adjectives, in the order of the table."""
    return [
        _adjective(english, french, place == "before", group["kinds"])
        for group in tables()["adjectives"]
        for place in ("before", "after")
        for english, french in group.get(place, {}).items()
    ]


def _adjective(english: str, french: str, before: bool, kinds: str) -> Adjective:
    masculine, feminine, vowel = (french.split("/") + ["", ""])[:3]
    forms = (masculine, feminine or french_forms.feminine(masculine), vowel or masculine)
    return Adjective(english, forms, before, frozenset(kinds.split()))


def verbs() -> list[Verb]:
    """All verbs, in the order of the table."""
    return [
        _verb(frame, english, **facts)
        for frame, verbs in tables()["verbs"].items()
        for english, facts in verbs.items()
    ]


def _verb(
    frame: str,
    english: str,
    french: str,
    objects: str = "",
    etre: bool = False,
    state: bool = False,
) -> Verb:
    forms, _, particle = english.partition(" ")
    base, _, past = forms.partition("/")
    verb, _, preposition = french.partition(" ")
    return Verb(
        (base, past or english_forms.past(base)),
        particle,
        verb,
        preposition,
        frame,
        frozenset(objects.split()),
        etre,
        state,
    )
