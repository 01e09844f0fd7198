"""Hidden tests of exercise 4.15: BLEU from counts."""

import math
from collections import Counter

from grader.checking import expect
from grader.checking.exercise import exercise
from grader.checking.known_mistakes import known_mistakes

MISTAKE = known_mistakes(__file__)

READ = "§6.1; Papineni et al. 2002; the docstring of 4.15"
RAISED = {
    "a precision of 0 makes the score 0: it has no logarithm": lambda: math.log(0),
    MISTAKE.bleu_logarithm_of_zero: lambda: 1 / 0,
    "a precision of 0 makes the score 0: there is nothing to divide by": lambda: 1.0 / 0.0,
}
WORDS = ["le", "chat", "noir", "dort", "sur", "la", "table"]


def grams(tokens, order):
    return Counter(tuple(tokens[i : i + order]) for i in range(len(tokens) - order + 1))


def counts(hypothesis, reference, order, clipped=True):
    """Matches and total of one sentence."""
    found, wanted = grams(hypothesis, order), grams(reference, order)
    matches = (found & wanted).total()
    if not clipped:
        matches = sum(count for gram, count in found.items() if gram in wanted)
    return matches, found.total()


def brevity(hypothesis, reference):
    """The brevity penalty, given the lengths in tokens."""
    return min(1.0, math.exp(1 - reference / hypothesis))


def bleu(
    hypotheses, references, n=4, *, clipped=True, penalty=brevity, mean="geometric", recall=False
):
    """The options make mistakes on purpose."""
    precisions, pairs = [], list(zip(hypotheses, references, strict=True))
    for order in range(1, n + 1):
        both = [counts(*pair, order, clipped) for pair in pairs]
        matches, total = (sum(column) for column in zip(*both, strict=True))
        if recall:
            total = sum(grams(reference, order).total() for reference in references)
        precisions.append(matches / total if total else 0.0)
    short = penalty(sum(map(len, hypotheses)), sum(map(len, references)))
    if mean == "arithmetic":
        return 100 * short * sum(precisions) / n
    if mean == "last":
        return 100 * short * precisions[-1]
    if min(precisions) == 0:
        return 0.0
    power = 1 / n if mean == "geometric" else 1.0
    return 100 * short * math.prod(precisions) ** power


def mistakes(hypotheses, references, n):
    """The results that each likely mistake would give."""
    pairs = list(zip(hypotheses, references, strict=True))
    own = [brevity(len(h), len(r)) for h, r in pairs]
    return {
        MISTAKE.bleu_not_clipped: bleu(hypotheses, references, n, clipped=False),
        MISTAKE.bleu_mean_of_sentences: sum(bleu([h], [r], n) for h, r in pairs) / len(pairs),
        MISTAKE.bleu_arithmetic_mean: bleu(hypotheses, references, n, mean="arithmetic"),
        "the product of the precisions, without the n-th root": bleu(
            hypotheses, references, n, mean="product"
        ),
        MISTAKE.bleu_no_brevity_penalty: bleu(hypotheses, references, n, penalty=lambda *_: 1.0),
        MISTAKE.bleu_brevity_inverted: bleu(
            hypotheses, references, n, penalty=lambda h, r: min(1.0, math.exp(1 - h / r))
        ),
        MISTAKE.bleu_brevity_rewards_length: bleu(
            hypotheses, references, n, penalty=lambda h, r: math.exp(1 - r / h)
        ),
        "the brevity penalty is the length ratio: use exp(1 − reference / hypothesis)": bleu(
            hypotheses, references, n, penalty=lambda h, r: min(1.0, h / r)
        ),
        MISTAKE.bleu_brevity_by_sentence: bleu(
            hypotheses, references, n, penalty=lambda *_: sum(own) / len(own)
        ),
        MISTAKE.bleu_n_ignored: bleu(hypotheses, references, 4),
        "only the n-grams of order n: use orders 1 to n": bleu(
            hypotheses, references, n, mean="last"
        ),
        MISTAKE.bleu_recall: bleu(hypotheses, references, n, recall=True),
        "a fraction between 0 and 1: BLEU goes from 0 to 100": bleu(hypotheses, references, n)
        / 100,
    }


def compare(student, corpora, n=None, otherwise=""):
    """Score all corpora before comparing any: together they distinguish mistakes."""
    options = {} if n is None else {"n": n}
    n = n or 4
    found = [student.bleu_by_hand(*corpus, **options) for corpus in corpora]

    def causes():
        wrong = [mistakes(*corpus, n) for corpus in corpora]
        return {name: [values[name] for values in wrong] for name in wrong[0]}

    expect.close(
        found,
        [bleu(*corpus, n) for corpus in corpora],
        atol=1e-4,
        otherwise=otherwise
        or "the geometric mean of the clipped precisions of 1- to n-grams, "
        "times the brevity penalty, times 100",
        read=READ,
        what=f"BLEU of {len(corpora)} corpora with n = {n}",
    )


def corpus(rng, ratio, sentences=5):
    """References, and hypotheses that share most of their words; `ratio` sets the length ratio."""
    references = [
        [str(w) for w in rng.choice(WORDS, rng.integers(9, 14))] for _ in range(sentences)
    ]
    hypotheses = []
    for reference in references:
        tokens = list(reference)
        tokens[int(rng.integers(len(tokens)))] = str(rng.choice(WORDS))
        extra = [str(w) for w in rng.choice(WORDS, 20)]
        hypotheses.append((tokens + extra)[: max(5, round(ratio * len(reference)))])
    return hypotheses, references


@exercise("4.15", weight=2)
def test_corpus(student, rng):
    """Counts and lengths are summed over the corpus before anything is divided."""
    compare(student, [corpus(rng, ratio) for ratio in (0.7, 1.0, 1.3)])


@exercise("4.15")
def test_clipping(student):
    """A repeated word counts at most as often as the reference has it."""
    compare(student, [([["la", "la", "la", "la", "table"]], [["la", "table", "la", "nuit"]])], 1)
    hypotheses = [["la", "table", "la", "table", "la", "table", "noire"], ["le", "chat", "dort"]]
    references = [["la", "table", "la", "nuit", "noire"], ["le", "chat", "noir", "dort"]]
    compare(student, [(hypotheses, references)], 2)


@exercise("4.15")
def test_brevity(student):
    """Short hypotheses are penalized, long ones are not; lengths are those of the corpus."""
    whole = ["le", "chat", "noir", "dort", "sur", "la", "table", "ronde"]
    # the first is too short, the second too long: together they are long enough
    both = [whole[:5], [*whole, "et", "encore", "ici"]], [whole, whole[:7]]
    compare(student, [([whole[:6]], [whole]), ([whole], [whole[:6]]), both])


@exercise("4.15")
def test_orders(student, rng):
    """`n` is the highest order of n-grams that counts."""
    for n in (1, 2, 3, 5):
        compare(student, [corpus(rng, ratio) for ratio in (0.9, 1.2)], n)


@exercise("4.15")
def test_nothing_in_common(student):
    """A precision of 0 makes the score 0, even if a hypothesis is shorter than n."""
    short, mixed = ["le", "chat", "noir"], ["le", "noir", "chat", "dort", "sur"]
    compare(
        student,
        [
            ([short], [short]),
            ([["un", "chien", "court", "vite"]], [["le", "chat", "noir", "dort"]]),
            ([mixed], [["le", "chat", "noir", "dort", "ici"]]),
            ([["le"], mixed], [["la"], mixed]),
        ],
        otherwise="0 if some precision is 0",
    )
