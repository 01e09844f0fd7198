"""The visible checks of exercise 4.15: BLEU by hand."""

from grader.checking.question import question

READ = "Papineni et al. 2002"


@question(
    "4.15",
    weight=3,
    advice="6 of 7 words and 4 of 5 pairs match; their geometric mean; 7 words for 9",
    read=READ,
)
def test_two_sentences(its):
    """Counts are summed before anything is divided, each n-gram at most as often as wanted."""
    made = ["a red dog runs".split(), "the boy sleeps".split()]
    wanted = ["a red dog runs fast".split(), "the boy sits down".split()]
    repeated = its.bleu_by_hand(["the the the the the".split()], ["the cat and the dog".split()], 1)
    return {"of two": its.bleu_by_hand(made, wanted, n=2), "`the` five times, n = 1": repeated}


@question("4.15", advice="the penalty is at most 1; log 0 is undefined: return 0", read=READ)
def test_longer_and_perfect_and_nothing(its):
    """No reward for length, 100 for the reference itself, 0 if some order has no match."""
    reference = [["a", "b", "c", "d", "e"]]
    return {
        "BLEU of the reference itself": its.bleu_by_hand(reference, reference),
        "of eight words for five, n = 1": its.bleu_by_hand([[*"abcdeabc"]], reference, n=1),
        "without a matching 2-gram": its.bleu_by_hand([["a", "c", "b", "e", "d"]], reference),
        "of three right words, n = 4": its.bleu_by_hand([[*"abc"]], [[*"abc"]]),
        "of `A` for `a`, n = 1": its.bleu_by_hand([[*"Abcde"]], reference, n=1),
    }
