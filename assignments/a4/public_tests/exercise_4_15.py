"""The visible checks of exercise 4.15: BLEU by hand."""

import math

from grader.checking import expect
from grader.checking.exercise import exercise

# Expectations are set like tables: value, causes, hint, section.
# fmt: off


@exercise("4.15")
def test_clipping(student):
    """An n-gram counts at most as often as it occurs in the reference."""
    made, wanted = "the the the the the".split(), "the cat and the dog".split()
    expect.close(
        student.bleu_by_hand([made], [wanted], n=1), 40.0,
        what="BLEU of unigrams, the × 5 against a reference with two of them",
        otherwise="2 of 5", read="Papineni et al. 2002")


@exercise("4.15", weight=2)
def test_two_sentences(student):
    """Two sentences, 1- and 2-grams: counts are summed before anything is divided."""
    made = ["a red dog runs".split(), "the boy sleeps".split()]
    wanted = ["a red dog runs fast".split(), "the boy sits down".split()]
    brevity, precisions = math.exp(1 - 9 / 7), math.sqrt(6 / 7 * 4 / 5)
    each = [math.exp(1 - 5 / 4) * math.sqrt(4 / 4 * 3 / 3),
            math.exp(1 - 4 / 3) * math.sqrt(2 / 3 * 1 / 2)]
    expect.close(
        student.bleu_by_hand(made, wanted, n=2), 100 * brevity * precisions, atol=1e-3,
        otherwise="6 of 7 words, 4 of 5 pairs, 7 words for 9", read="Papineni et al. 2002")


@exercise("4.15")
def test_longer_and_perfect_and_nothing(student):
    """No reward for length, 100 for the reference itself, 0 if some order has no match."""
    reference = [["a", "b", "c", "d", "e"]]
    expect.close(student.bleu_by_hand(reference, reference), 100.0, atol=1e-3,
                 what="BLEU of the reference itself", read="exercise 4.15")
    got = student.bleu_by_hand([["a", "b", "c", "d", "e", "a", "b", "c"]], reference, n=1)
    expect.close(got, 62.5, atol=1e-3, what="BLEU of unigrams, eight words against five,",
                 read="exercise 4.15")
    expect.close(student.bleu_by_hand([["a", "c", "b", "e", "d"]], reference), 0.0,
                 what="BLEU without a matching 2-gram", otherwise="log 0 is undefined: return 0",
                 read="exercise 4.15")
