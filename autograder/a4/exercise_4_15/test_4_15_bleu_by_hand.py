"""Hidden tests of exercise 4.15: BLEU from counts."""

from functools import partial

from grader.checking.question import question

READ = "§6.1; Papineni et al. 2002; the docstring of 4.15"
ask = partial(question, "4.15", read=READ)
MEAN = "the geometric mean of the clipped precisions, times the brevity penalty, times 100"
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


@ask(weight=2, advice=MEAN)
def test_corpus(its, rng):
    """Counts and lengths are summed over the corpus before anything is divided."""
    return {
        f"BLEU of a corpus, lengths at about {ratio} of the references'": its.bleu_by_hand(
            *corpus(rng, ratio)
        )
        for ratio in (0.7, 1.0, 1.3)
    }


@ask(advice="an n-gram counts at most as often as it is in its reference")
def test_clipping(its):
    """A repeated word counts at most as often as the reference has it."""
    made = [["la", "table", "la", "table", "la", "table", "noire"], ["le", "chat", "dort"]]
    wanted = [["la", "table", "la", "nuit", "noire"], ["le", "chat", "noir", "dort"]]
    one = its.bleu_by_hand([["la", "la", "la", "la", "table"]], [["la", "table", "la", "nuit"]], 1)
    return {
        "BLEU of unigrams": one,
        "BLEU of unigrams and bigrams": its.bleu_by_hand(made, wanted, 2),
    }


@ask(advice="min(1, exp(1 − r / c)), with the lengths of the corpus")
def test_brevity(its):
    """Short hypotheses are penalized, long ones are not; lengths are those of the corpus."""
    whole = ["le", "chat", "noir", "dort", "sur", "la", "table", "ronde"]
    return {
        "BLEU of 6 words for 8": its.bleu_by_hand([whole[:6]], [whole]),
        "of 8 words for 6": its.bleu_by_hand([whole], [whole[:6]]),
        # the first is too short, the second too long: together they are long enough
        "of a short and a long one": its.bleu_by_hand(
            [whole[:5], [*whole, "et", "encore", "ici"]], [whole, whole[:7]]
        ),
    }


@ask(advice="orders 1 to n, and the n-th root of their product")
def test_orders(its, rng):
    """`n` is the highest order of n-grams that counts."""
    return {
        f"BLEU with n = {n}, lengths at about {ratio}": its.bleu_by_hand(*corpus(rng, ratio), n=n)
        for n in (1, 2, 3, 5)
        for ratio in (0.9, 1.2)
    }


@ask(advice="0 if some precision is 0; words are compared as they are")
def test_nothing_in_common(its):
    """A precision of 0 makes the score 0, even if a hypothesis is shorter than n."""
    short, mixed = ["le", "chat", "noir"], ["le", "noir", "chat", "dort", "sur"]
    return {
        "BLEU of three words that are right": its.bleu_by_hand([short], [short]),
        "without a common word": its.bleu_by_hand(
            [["un", "chien", "court", "vite"]], [["le", "chat", "noir", "dort"]]
        ),
        "without a common bigram": its.bleu_by_hand(
            [mixed], [["le", "chat", "noir", "dort", "ici"]]
        ),
        "of one wrong word and a right sentence": its.bleu_by_hand(
            [["le"], mixed], [["la"], mixed]
        ),
        "of `Le` for `le`, n = 1": its.bleu_by_hand([["Le", "chat"]], [["le", "chat"]], 1),
    }
