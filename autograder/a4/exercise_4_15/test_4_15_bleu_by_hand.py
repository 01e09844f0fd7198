"""Hidden tests of exercise 4.15: BLEU from counts."""

from functools import partial

from grader.checking.question import question

ask = partial(question, "4.15", read="§6.1; Papineni et al. 2002; the docstring of 4.15")
MEAN = "the n-th root of the product of clipped precisions, times the brevity penalty, times 100"
WORDS = ["le", "chat", "noir", "dort", "sur", "la", "table"]


def corpus(rng, ratio, sentences=5):
    """Hypotheses that share most words with their references; `ratio` sets the length ratio."""
    references = [list(rng.choice(WORDS, rng.integers(9, 14))) for _ in range(sentences)]
    hypotheses = []
    for reference in references:
        tokens = [*reference, *rng.choice(WORDS, 20)]
        tokens[int(rng.integers(len(reference)))] = rng.choice(WORDS)
        hypotheses.append(tokens[: max(5, round(ratio * len(reference)))])
    return [[list(map(str, one)) for one in side] for side in (hypotheses, references)]


@ask(weight=3, advice=MEAN)
def test_corpus(its, rng):
    """Counts and lengths are summed over the corpus; `n` is the highest order that counts."""
    return {
        f"BLEU with n = {n}, lengths at about {ratio}": its.bleu_by_hand(*corpus(rng, ratio), n)
        for n in (1, 2, 3, 4, 5)
        for ratio in (0.7, 0.9, 1.2)
    } | {"BLEU without n": its.bleu_by_hand(*corpus(rng, 0.9))}


@ask(weight=3, advice="an n-gram counts as often as its reference has it; min(1, exp(1 − r / c))")
def test_clipping(its):
    """Words that are repeated, lengths of the corpus, and 0 if some precision is 0."""
    made = ["la table la table la table noire".split(), "le chat dort".split()]
    wanted = ["la table la nuit noire".split(), "le chat noir dort".split()]
    whole = "le chat noir dort sur la table ronde".split()
    short, mixed = whole[:3], "le noir chat dort sur".split()
    # the first is too short, the second too long: together they are long enough
    both = [whole[:5], [*whole, "et", "encore", "ici"]], [whole, whole[:7]]
    return {
        "BLEU of a word that is repeated": its.bleu_by_hand([["la"] * 4], [["la", "le", "la"]], 1),
        "of words that are repeated": its.bleu_by_hand(made, wanted, 2),
        "of 6 words for 8": its.bleu_by_hand([whole[:6]], [whole]),
        "of 8 words for 6": its.bleu_by_hand([whole], [whole[:6]]),
        "of a short and a long one": its.bleu_by_hand(*both),
        "of three words that are right": its.bleu_by_hand([short], [short]),
        "without a common word": its.bleu_by_hand(["un chien court vite".split()], [whole]),
        "without a common bigram": its.bleu_by_hand([mixed], [whole]),
        "of a wrong word and a right one": its.bleu_by_hand([["le"], mixed], [["la"], mixed]),
        "of `Le` for `le`, n = 1": its.bleu_by_hand([["Le", "chat"]], [["le", "chat"]], 1),
    }
