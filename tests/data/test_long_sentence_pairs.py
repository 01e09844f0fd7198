"""The longer sentences of the live page: right French where far-away words decide."""

import random
import re

import pytest

from course_lib.data.datasets import load
from course_lib.data.grammar import long_clauses, long_sentence_pairs
from course_lib.data.grammar.long_sentence_pairs import LENGTHS, SIZES, pairs
from course_lib.data.grammar.phrases import Draw
from course_lib.data.grammar.sentence_pairs import pair, spelt, words

pytestmark = pytest.mark.xdist_group("long grammar")  # its corpus is made once


def drawn(clause, pattern):
    """The French of the first such clause whose English is this."""
    generator = random.Random(0)
    for _ in range(20_000):
        english, french = clause(Draw(generator))
        made = pair(english, spelt(french))
        if re.fullmatch(pattern, made[0]):
            return made[1]
    raise AssertionError(f"no sentence of {clause.__name__} is like {pattern}")


def test_the_corpus_is_the_same_everywhere():
    data = load("grammar_long_en_fr")
    assert {name: len(split) for name, split in data.splits.items()} == SIZES
    assert data.sha256 == "9cf8de05e151530b4c8b3845a869b105fbce60a9c9947127a126ba8772b85ca8"


def test_no_english_sentence_comes_twice():
    english = [one[0] for split in SIZES for one in pairs(split)]
    assert len(set(english)) == len(english)
    lengths = {len(words(text)) for text in english}
    assert (min(lengths), max(lengths)) == (LENGTHS[0], LENGTHS[-1])


def test_an_unknown_split_is_told():
    with pytest.raises(ValueError, match="no split 'dev': use one of train, validation, test"):
        pairs("dev")


CASES = [
    # the participle agrees with the subject, which the action befalls
    ("passive", r".* flower will be taken by .*", r".* fleur .*sera prise par .*"),
    ("passive", r".* (?:girls|women|queens) are seen by .*", r".* sont vues par .*"),
    # "it" has the gender of its noun, stands before the verb, and the participle agrees
    (
        "resumed",
        r"I .* (?:key|lamp|axe) and sent it to .*",
        r"J.* et (?:l'|la lui |la leur |vous l').*ée\b.*",
    ),
    (
        "resumed",
        r".* (?:books|coats|hats) and gives? them to (?:him|her)",
        r".* et les lui donne.*",
    ),
    ("resumed", r".* and gives? (?:them|it) to you", r".* et vous (?:la|le|les) donn.*"),
    # a predicate beyond a relative clause, a participle after its object
    ("with_relative_clause", r".* (?:nurse|queen|aunt) that .* (?:is|was) happy", r".* heureuse"),
    ("with_relative_clause", r".* (?:girls|women|cows) that (?:he|she|I) saw .*", r".* vues .*"),
    ("with_a_cause", r".* mouse .* because it .*", r".* parce qu'elle .*"),
    ("two_subjects", r".* king and .* are (?:happy|serious)", r".* sont (?:heureux|sérieux)"),
    ("after_a_time", r"Tomorrow, I will not .*", r"Demain, je n.*rai pas.*|Demain, je ne m.*"),
    ("outside", r".* children play in the water", r".* enfants jouent dans l'eau"),
    ("given", r"She gives? (?:him|her) the .*", r"Elle lui donne l.*"),
    ("given", r"We give the .* (?:key|lamp|axe)", r"Nous donnons .* (?:au|à la|à l'|aux).*"),
    ("named", r"The old (?:dog|king|book)s?", r"Le vieux (?:chien|roi|livre)|Les vieux .*s"),
]


@pytest.mark.parametrize(("clause", "english", "french"), CASES)
def test_french_agrees_and_reorders(clause, english, french):
    assert re.fullmatch(french, drawn(getattr(long_clauses, clause), english))


def test_every_kind_of_clause_has_its_test():
    assert {case[0] for case in CASES} == {one.__name__ for one in long_sentence_pairs.CLAUSES}
