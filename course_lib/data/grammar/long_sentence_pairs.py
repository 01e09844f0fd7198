"""English-French pairs of 3 to 23 words, in which far-away words decide: for the live page.

    from course_lib.data.grammar.long_sentence_pairs import pairs
    english, french, alignment = pairs("test")[0]

A third are sentences of `sentence_pairs`; the others come from `long_clauses`. As there, no English
sentence is in two splits, both sides are derived at once, and the pairs are the same everywhere.
"""

import random

from . import long_clauses
from .phrases import Draw, Word
from .sentence_pairs import Pair, PairCorpus, pair, sentence, spelt

SIZES = {"train": 40_000, "validation": 500, "test": 500}
LENGTHS = range(3, 24)  # words of the English side, marks included
SEED = 26
CLAUSES = (
    *(long_clauses.with_relative_clause,) * 3,
    *(long_clauses.resumed,) * 3,
    *(long_clauses.with_a_cause,) * 3,
    *(long_clauses.passive,) * 2,
    *(long_clauses.after_a_time,) * 2,
    *(long_clauses.outside,) * 2,
    *(long_clauses.given,) * 2,
    long_clauses.two_subjects,
    long_clauses.named,
)


def draw_pair(generator: random.Random) -> Pair:
    """One pair of 3 to 23 English words."""
    while True:
        draw = Draw(generator)
        if draw.chance(1 / 3):
            english, french = sentence(draw)
        else:
            left, right = draw.one(CLAUSES)(draw)
            mark = Word(".", draw.link())
            english, french = [*left, mark], [*spelt(right), mark]
        if len(english) in LENGTHS:
            return pair(english, french)


CORPUS = PairCorpus(SIZES, SEED, draw_pair)
pairs, translation = CORPUS.pairs, CORPUS.translation
