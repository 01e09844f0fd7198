"""Generate verb groups in English and French: tense, negation, adverb, preverbal pronouns."""

from typing import NamedTuple

from . import english_forms, french_forms
from .lexicon import Verb
from .phrases import Draw, Links, NounPhrase, Word

NEGATIONS = {"not": "pas", "never": "jamais"}
ADVERBS = {"often": "souvent", "always": "toujours", "rarely": "rarement"}
TO_BE = Verb(("be", "was"), "", "être", "", "copula", frozenset(), False, True)


class Manner(NamedTuple):
    """How a clause says it; `negation` is "", "not" or "never", `adverb` may be ""."""

    tense: str
    negation: str
    adverb: str
    question: bool


class VerbGroup(NamedTuple):
    """The words before the objects; `opening` is what an English question begins with."""

    opening: list[Word]
    english: list[Word]
    french: list[Word]


def verb_group(
    draw: Draw,
    verb: Verb,
    subject: NounPhrase,
    manner: Manner,
    clitic: NounPhrase | None = None,
    indirect: bool = False,
) -> VerbGroup:
    """The verb of both languages, with the words around it.

    "did not often see her" is "ne l'a pas souvent vue": the auxiliary, the verb, the negation and
    the adverb have a link each, and a form that is both auxiliary and verb has both.
    """
    links = {name: draw.link() for name in ("auxiliary", "verb", "negation", "adverb", "question")}
    opening, english = _english(verb, subject.person, manner, links)
    french = _french(verb, subject, manner, links, clitic, indirect)
    return VerbGroup(opening, english, french)


def question_words(opening: list[Word]) -> list[Word]:
    """ "est-ce que", linked to what the English question begins with."""
    links = opening[0].links
    return [Word("est-ce", links), Word("que", links)]


def _english(
    verb: Verb, person: int, manner: Manner, links: dict[str, Links]
) -> tuple[list[Word], list[Word]]:
    """The words before the subject of a question, and those after it."""
    middle = [
        Word(word, links[name])
        for name, word in (("negation", manner.negation), ("adverb", manner.adverb))
        if word
    ]
    finite, rest = _english_forms(verb, person, manner)
    if rest is None:
        both = Word(finite, links["auxiliary"] | links["verb"])
        if manner.question:  # "Is the cat …"
            return [Word(finite, both.links | links["question"])], middle
        is_copula = verb.frame == "copula"
        return [], [both, *middle] if is_copula else [*middle, both]
    words = [*middle, Word(rest, links["verb"])]
    if manner.question:
        return [Word(finite, links["auxiliary"] | links["question"])], words
    return [], [Word(finite, links["auxiliary"]), *words]


def _english_forms(verb: Verb, person: int, manner: Manner) -> tuple[str, str | None]:
    """The finite form, and the infinitive if there is one: ("does", "eat"), ("ate", None)."""
    base, past = verb.english
    if manner.tense == "future":
        return "will", base
    if verb.frame == "copula":
        return english_forms.BE[manner.tense][person], None
    third = manner.tense == "present" and person == 2
    if manner.negation == "not" or manner.question:
        return "did" if manner.tense == "past" else "does" if third else "do", base
    if manner.tense == "past":
        return past, None
    return english_forms.third_person(base) if third else base, None


def _french(
    verb: Verb,
    subject: NounPhrase,
    manner: Manner,
    links: dict[str, Links],
    clitic: NounPhrase | None,
    indirect: bool,
) -> list[Word]:
    """Subject pronouns aside: "ne" clitic finite "pas" adverb participle."""
    compound = manner.tense == "past" and not verb.state
    both = links["auxiliary"] | links["verb"]
    words = [Word("ne", links["negation"])] if manner.negation else []
    if verb.frame == "reflexive":
        words.append(Word(french_forms.REFLEXIVE[subject.person], links["verb"]))
    words += clitic.french if clitic else []
    if compound:
        auxiliary = french_forms.conjugate(
            "être" if verb.with_etre else "avoir", "present", subject.person
        )
        words.append(Word(auxiliary, links["auxiliary"]))
    else:
        tense = "imparfait" if manner.tense == "past" else manner.tense
        words.append(Word(french_forms.conjugate(verb.french, tense, subject.person), both))
    if manner.negation:
        words.append(Word(NEGATIONS[manner.negation], links["negation"]))
    if manner.adverb:
        words.append(Word(ADVERBS[manner.adverb], links["adverb"]))
    if compound:
        words.append(Word(_participle(verb, subject, clitic, indirect), links["verb"]))
    return words


def _participle(verb: Verb, subject: NounPhrase, clitic: NounPhrase | None, indirect: bool) -> str:
    """It agrees with the subject after être, and with a direct object before avoir."""
    if verb.with_etre:
        return french_forms.participle(verb.french, subject.gender, subject.is_plural)
    if clitic and not indirect:
        return french_forms.participle(verb.french, clitic.gender, clitic.is_plural)
    return french_forms.participle(verb.french)
