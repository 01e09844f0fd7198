"""Longer clauses: relative ones, passives, resumed objects, causes; agreement at a distance.

What a word is in French depends here on words that are far away: "it" has the gender of its noun,
a predicate agrees with a subject beyond a relative clause, "was followed by" exchanges the roles.
"""

from functools import lru_cache

from . import french_forms, lexicon
from .clauses import ANIMAL, ANIMALS_DO, MOVABLE, PERSON, Sides, predicate, time, verbs_of
from .lexicon import Verb
from .phrases import DEFINITE, Draw, NounPhrase, Word, noun_phrase, pronoun_object, pronoun_subject
from .verbs import TO_BE, Manner, verb_group
from .word_tables import tables

PLAY = Verb(("play", "played"), "", "jouer", "", "intransitive", frozenset(), False, False)
OUTSIDE, PARTICIPLES = tables()["outside"], tables()["participles"]
NO_PASSIVE = frozenset("avoir vouloir connaître".split())
TENSES = ("present", "present", "past", "past", "future")
WAS = TO_BE._replace(state=False)  # "was followed": "a été suivi"
PRONOUNS = {"m": ("il", "le"), "f": ("elle", "la")}  # as subject, as object
THINGS = frozenset("thing text food".split())
ANYBODY = PERSON | ANIMAL


def manner(draw: Draw, tense: str, negated: float = 0.15) -> Manner:
    """A tense with or without "not"."""
    return Manner(tense, "not" if draw.chance(negated) else "", "", False)


def outside(draw: Draw) -> Sides:
    """ "Two dogs play in the snow": "Deux chiens jouent dans la neige"."""
    subject = noun_phrase(draw, ANYBODY)
    group = verb_group(draw, PLAY, subject, manner(draw, draw.one(TENSES), 0.2))
    place = [word.split("=") for word in draw.one(OUTSIDE).split()]
    links = [draw.link() for _ in place]
    english = [Word(word[0], link) for word, link in zip(place, links, strict=True)]
    french = [Word(word[1], link) for word, link in zip(place, links, strict=True)]
    return (
        [*subject.english, *group.english, *english],
        [*subject.french, *group.french, *french],
    )


def with_relative_clause(draw: Draw) -> Sides:
    """ "the girls that the king sees are happy": "les filles que le roi voit sont heureuses"."""
    head = noun_phrase(draw, ANYBODY, DEFINITE)
    if draw.chance(0.5):
        aside = _seen(draw, head)
    else:
        verb = draw.one(_verbs_of_animals())
        opening = manner(draw, draw.one(TENSES[:4]))
        _, english, french = predicate(draw, verb, head, opening)
        link = draw.link()
        aside = [Word("that", link), *english], [Word("qui", link), *french]
    verb = TO_BE if draw.chance(0.6) else draw.one(_verbs_of_animals())
    _, english, french = predicate(draw, verb, head, manner(draw, draw.one(TENSES)))
    return (
        [*head.english, *aside[0], *english],
        [*head.french, *aside[1], *french],
    )


def _seen(draw: Draw, head: NounPhrase) -> Sides:
    """ "that the king saw": "que le roi a vues", the participle agreeing with the head."""
    verb = draw.one([one for one in _direct() if one.objects >= ANYBODY])
    pronoun = draw.chance(0.4)
    subject = pronoun_subject(draw) if pronoun else noun_phrase(draw, PERSON, DEFINITE)
    before = head._replace(english=[], french=[])
    group = verb_group(draw, verb, subject, manner(draw, draw.one(TENSES[:4]), 0.1), before)
    link = draw.link()
    particle = [Word(word, group.english[-1].links) for word in verb.particle.split()]
    return (
        [Word("that", link), *subject.english, *group.english, *particle],
        [Word("que", link), *subject.french, *group.french],
    )


def passive(draw: Draw) -> Sides:
    """ "the boy was followed by the girl": "le garçon a été suivi par la fille"."""
    verb = draw.one([one for one in _direct() if one.french not in NO_PASSIVE | {"aimer"}])
    subject = noun_phrase(draw, verb.objects)
    group = verb_group(draw, WAS, subject, manner(draw, draw.one(TENSES)))
    by, link = draw.link(), draw.link()
    base, past = verb.english
    said = [PARTICIPLES.get(base, past), *verb.particle.split()]
    participle = french_forms.participle(verb.french, subject.gender, subject.is_plural)
    animals = ANYBODY if verb.french in ANIMALS_DO else PERSON
    agent = noun_phrase(draw, animals)
    return (
        [*subject.english, *group.english, *(Word(word, link) for word in said), Word("by", by)]
        + agent.english,
        [*subject.french, *group.french, Word(participle, link), Word("par", by), *agent.french],
    )


def resumed(draw: Draw) -> Sides:
    """ "he took the key and gave it to her": "il a pris la clé et la lui a donnée"."""
    tense = draw.one(TENSES)
    how = Manner(tense, "", "", False)
    subject = pronoun_subject(draw) if draw.chance(0.3) else noun_phrase(draw, PERSON, DEFINITE)
    first = draw.one([one for one in _direct() if one.objects & THINGS and not one.state])
    thing = noun_phrase(draw, first.objects & THINGS)
    group = verb_group(draw, first, subject, how)
    particle = [Word(word, group.english[-1].links) for word in first.particle.split()]
    link = draw.link()
    english, french = _again(draw, subject, thing, how)
    return (
        [*subject.english, *group.english, *particle, *thing.english, Word("and", link), *english],
        [*subject.french, *group.french, *thing.french, Word("et", link), *french],
    )


def _again(draw: Draw, subject: NounPhrase, thing: NounPhrase, how: Manner) -> Sides:
    """ "gave it to her": "la lui a donnée"; "lost it": "l'a perdue"."""
    link = draw.link()
    object_french = "les" if thing.is_plural else PRONOUNS[thing.gender][1]
    it = thing._replace(
        english=[Word("them" if thing.is_plural else "it", link)],
        french=[Word(object_french, link)],
    )
    if draw.chance(0.4):
        kinds = [one for one in _direct() if one.objects & THINGS and not one.state]
        verb = draw.one([one for one in kinds if not one.particle])
        group = verb_group(draw, verb, subject, how, it)
        return [*group.english, *it.english], group.french
    verb = draw.one([one for one in verbs_of("other") if one.frame == "give"])
    to = Word("to", draw.link())
    if draw.chance(0.5):
        person = noun_phrase(draw, PERSON, DEFINITE)
        group = verb_group(draw, verb, subject, how, it)
        french = [*group.french, Word("à", to.links), *person.french]
        return [*group.english, *it.english, to, *person.english], french
    person = pronoun_object(draw, subject, indirect=True)
    both = [*it.french, *person.french]
    if person.french[0].text not in ("lui", "leur"):  # "me la", but "la lui"
        both.reverse()
    group = verb_group(draw, verb, subject, how, it._replace(french=both))
    return [*group.english, *it.english, to, *person.english], group.french


def given(draw: Draw) -> Sides:
    """ "she gives him the clocks": "elle lui donne les horloges"; "the boy": "au garçon"."""
    how = manner(draw, draw.one(TENSES))
    subject = pronoun_subject(draw) if draw.chance(0.5) else noun_phrase(draw, PERSON, DEFINITE)
    verb = draw.one([one for one in verbs_of("other") if one.frame == "give"])
    thing = noun_phrase(draw, verb.objects, negated=bool(how.negation))
    if draw.chance(0.6):
        person = pronoun_object(draw, subject, indirect=True)
        group = verb_group(draw, verb, subject, how, person, indirect=True)
        french = [*group.french, *thing.french]
    else:
        person = noun_phrase(draw, PERSON, DEFINITE)
        group = verb_group(draw, verb, subject, how)
        french = [*group.french, *thing.french, Word("à", draw.link()), *person.french]
    english = [*subject.english, *group.english, *person.english, *thing.english]
    return english, [*subject.french, *french]


def with_a_cause(draw: Draw) -> Sides:
    """ "the mouse runs because it is small": "la souris court parce qu'elle est petite"."""
    kinds = ANYBODY if draw.chance(0.7) else MOVABLE
    subject = noun_phrase(draw, kinds, DEFINITE)
    animate = kinds is ANYBODY
    verb = draw.one(_verbs_of_animals()) if animate and draw.chance(0.7) else TO_BE
    _, english, french = predicate(draw, verb, subject, manner(draw, draw.one(TENSES)))
    link = draw.link()
    it = subject._replace(
        english=[Word(_pronoun(subject), link)],
        french=[Word(PRONOUNS[subject.gender][0] + "s" * subject.is_plural, link)],
    )
    again = TO_BE if not animate or draw.chance(0.6) else draw.one(_verbs_of_animals())
    # `predicate` asks the subject's last word what adjectives it may have
    _, more_english, more_french = predicate(
        draw, again, subject, manner(draw, draw.one(TENSES[:4]))
    )
    because = draw.link()
    return (
        [*subject.english, *english, Word("because", because), *it.english, *more_english],
        [*subject.french, *french]
        + [Word("parce", because), Word("que", because), *it.french, *more_french],
    )


def _pronoun(subject: NounPhrase) -> str:
    """ "they", "it", or "he" and "she" by the French gender, which a person's is here."""
    if subject.is_plural:
        return "they"
    kind = lexicon.kinds()[subject.english[-1].text]
    return "it" if kind != "person" else {"m": "he", "f": "she"}[subject.gender]


def two_subjects(draw: Draw) -> Sides:
    """ "the king and his sister are proud": "le roi et sa sœur sont fiers"."""
    both = [noun_phrase(draw, PERSON, DEFINITE) for _ in range(2)]
    link = draw.link()
    subject = NounPhrase(
        [*both[0].english, Word("and", link), *both[1].english],
        [*both[0].french, Word("et", link), *both[1].french],
        5,
        "f" if both[0].gender == both[1].gender == "f" else "m",
        True,
    )
    verb = TO_BE if draw.chance(0.6) else draw.one(_verbs_of_animals())
    _, english, french = predicate(draw, verb, subject, manner(draw, draw.one(TENSES)))
    return [*subject.english, *english], [*subject.french, *french]


def after_a_time(draw: Draw) -> Sides:
    """ "tomorrow, the king will come": "demain, le roi viendra"."""
    tense = draw.one(TENSES)
    when_english, when_french = time(draw, tense)
    comma = Word(",", draw.link())
    subject = pronoun_subject(draw) if draw.chance(0.3) else noun_phrase(draw, ANYBODY)
    verb = draw.one(_verbs_of_animals())
    _, english, french = predicate(draw, verb, subject, manner(draw, tense, 0.3))
    return (
        [*when_english, comma, *subject.english, *english],
        [*when_french, comma, *subject.french, *french],
    )


def named(draw: Draw) -> Sides:
    """A noun phrase alone: "the small cat"."""
    phrase = noun_phrase(draw, ANYBODY | THINGS)
    return phrase.english, phrase.french


@lru_cache(maxsize=1)
def _direct() -> list[Verb]:
    return [verb for verb in verbs_of("other") if verb.frame == "direct"]


@lru_cache(maxsize=1)
def _verbs_of_animals() -> list[Verb]:
    return [verb for verb in verbs_of("other") if verb.french in ANIMALS_DO]
