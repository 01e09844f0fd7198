"""Generate clauses in English and French together: subject, verb, objects, place and time."""

from functools import lru_cache

from . import french_forms, lexicon
from .lexicon import Verb
from .phrases import (
    DEFINITE,
    Draw,
    NounPhrase,
    Word,
    adjectives,
    noun_phrase,
    possessor,
    pronoun_object,
    pronoun_subject,
)
from .verbs import TO_BE, Manner, question_words, verb_group
from .word_tables import tables

Sides = tuple[list[Word], list[Word]]
Parts = tuple[list[Word], list[Word], list[Word]]

TIMES, WEEKDAYS, PLACES = tables()["times"], tables()["weekdays"], tables()["places"]
ANIMALS_DO = frozenset(tables()["done_by_animals"].split())
PERSON, ANIMAL, PLACE = (frozenset({kind}) for kind in ("person", "animal", "place"))
MOVABLE = frozenset("animal food text thing".split())


def clause_with_that(draw: Draw) -> Sides:
    """ "he knows that …": "il sait que …"."""
    subject = pronoun_subject(draw) if draw.chance(0.6) else noun_phrase(draw, PERSON, DEFINITE)
    verb = draw.one(verbs_of("clause"))
    group = verb_group(draw, verb, subject, Manner("present", "", "", False))
    link = draw.link()
    english, french = clause(draw, question=False)
    return (
        [*subject.english, *group.english, Word("that", link), *english],
        [*subject.french, *group.french, Word("que", link), *french],
    )


def clause(draw: Draw, question: bool) -> Sides:
    """Subject, verb, objects, place and time; French not yet elided and contracted."""
    tense = draw.one(("present", "present", "past", "past", "future"))
    negation = draw.one(("not", "not", "never")) if not question and draw.chance(0.3) else ""
    adverbs = {"": ("often", "always", "rarely"), "not": ("often",), "never": ("",)}[negation]
    manner = Manner(tense, negation, draw.one(adverbs) if draw.chance(0.12) else "", question)
    verb = TO_BE if draw.chance(0.2) else draw.one(verbs_of("other"))
    subject = _subject(draw, verb)
    opening, english, french = predicate(draw, verb, subject, manner)
    if draw.chance(0.2) and not (manner.adverb or negation == "never"):
        time_english, time_french = time(draw, tense)
        english, french = [*english, *time_english], [*french, *time_french]
    french = [*subject.french, *french]
    if question:
        french = [*question_words(opening), *french]
    return [*opening, *subject.english, *english], french


@lru_cache(maxsize=4)
def verbs_of(frames: str) -> list[Verb]:
    """The verbs that take a clause ("clause"), or all others."""
    every = lexicon.verbs()
    return [verb for verb in every if (verb.frame == "clause") == (frames == "clause")]


def _subject(draw: Draw, verb: Verb) -> NounPhrase:
    if draw.chance(0.4):
        return pronoun_subject(draw)
    if verb is TO_BE and draw.chance(0.6):
        return noun_phrase(draw, MOVABLE)
    if draw.chance(0.06):
        return possessor(draw, PERSON | ANIMAL if verb.french in ANIMALS_DO else PERSON)
    return noun_phrase(draw, PERSON | ANIMAL if verb.french in ANIMALS_DO else PERSON)


def predicate(draw: Draw, verb: Verb, subject: NounPhrase, manner: Manner) -> Parts:
    """The opening of a question, and the English and French words after the subject."""
    if verb is TO_BE:
        return _being(draw, subject, manner)
    people = "person" in verb.objects
    indirect = verb.frame in ("dative", "give")
    clitic = None
    if verb.frame == "give" or (people and verb.frame in ("direct", "dative")):
        clitic = pronoun_object(draw, subject, indirect) if draw.chance(0.4) else None
    group = verb_group(draw, verb, subject, manner, clitic, indirect)
    link = group.english[-1].links if group.english else draw.link()
    english = list(group.english)
    french = list(group.french)
    if verb.frame == "give":
        thing = _object(draw, verb, manner)
        english, french = [*english, *thing.english], [*french, *thing.french]
        link = draw.link() if clitic is None else clitic.english[0].links
        english.append(Word("to", link))
    elif verb.particle:
        separate = verb.preposition and verb.frame != "direct"
        link = draw.link() if separate and clitic is None else link
        english += [Word(word, link) for word in verb.particle.split()]
    if clitic is not None:
        return group.opening, [*english, *clitic.english], french
    if verb.preposition:
        french.append(Word(verb.preposition, link))
    target = _target(draw, verb, manner)
    if target is None:
        place_english, place_french = _place(draw) if draw.chance(0.4) else ([], [])
        return group.opening, [*english, *place_english], [*french, *place_french]
    return group.opening, [*english, *target.english], [*french, *target.french]


def _object(draw: Draw, verb: Verb, manner: Manner) -> NounPhrase:
    if draw.chance(0.06):
        return possessor(draw, verb.objects)
    return noun_phrase(draw, verb.objects, negated=bool(manner.negation))


def _target(draw: Draw, verb: Verb, manner: Manner) -> NounPhrase | None:
    """The noun phrase after the verb and its preposition; None for a verb without objects."""
    if verb.frame == "direct":
        return _object(draw, verb, manner)
    if verb.frame in ("dative", "give"):
        return noun_phrase(draw, PERSON, DEFINITE)
    return noun_phrase(draw, PLACE, DEFINITE) if verb.frame == "motion" else None


def _being(draw: Draw, subject: NounPhrase, manner: Manner) -> Parts:
    """ "is happy", "is in the garden"."""
    group = verb_group(draw, TO_BE, subject, manner)
    if draw.chance(0.4):
        english, french = _place(draw)
    else:
        kind = "person" if len(subject.english) == 1 else lexicon.kinds()[subject.english[-1].text]
        choice = [*adjectives(kind, before=False), *adjectives(kind, before=True)]
        adjective, link = draw.one(choice), draw.link()
        masculine, feminine, _ = adjective.french
        form = french_forms.agree(masculine, feminine, subject.gender, subject.is_plural)
        english, french = [Word(adjective.english, link)], [Word(form, link)]
    return group.opening, [*group.english, *english], [*group.french, *french]


def _place(draw: Draw) -> Sides:
    """ "in the old garden"."""
    preposition, link = draw.one(tuple(PLACES)), draw.link()
    where = noun_phrase(draw, PLACE, DEFINITE)
    return (
        [Word(preposition, link), *where.english],
        [Word(PLACES[preposition], link), *where.french],
    )


def time(draw: Draw, tense: str) -> Sides:
    """ "yesterday", "last week", "on Monday"."""
    if tense != "present" and draw.chance(0.4):
        day, link = draw.one(tuple(WEEKDAYS)), draw.link()
        return [Word("on", link), Word(day, link)], [Word(WEEKDAYS[day], link)]
    english = draw.one(tuple(TIMES[tense]))
    links = {word: draw.link() for word in english.split()}
    found = []
    for word in TIMES[tense][english].split():
        text, _, source = word.partition("|")
        found.append(Word(text, links[source or english]))
    return [Word(word, link) for word, link in links.items()], found
