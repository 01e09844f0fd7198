"""Hidden tests of exercise 4.11, step 1: the length penalty and the best continuations."""

import numpy as np
import torch

from autograder.a3.answers import answered, normal
from autograder.a4.exercise_4_11.beam_cases import READ
from grader.checking import expect
from grader.checking.exercise import exercise
from grader.checking.known_mistakes import known_mistakes

MISTAKE = known_mistakes(__file__)

PENALTY = "Wu et al. 2016, Eq. 14"


BY_BEAM = MISTAKE.continuations_by_beam


@exercise("4.11")
def test_length_penalty_factor(student):
    """((5 + |Y|) / 6)^α for short and long sentences, and for several α."""
    lengths, alphas = np.array([0.0, 1, 7, 19, 55])[:, None], np.array([0.0, 0.6, 1.0, 2.0])
    found = [
        [float(student.length_penalty_factor(int(n), float(alpha))) for alpha in alphas]
        for n in lengths[:, 0]
    ]
    expect.close(
        found,
        ((5 + lengths) / 6) ** alphas,
        read=PENALTY,
        what="the factors of lengths 0, 1, 7, 19, 55 for α = 0, 0.6, 1, 2",
    )


@exercise("4.11", weight=2)
def test_continuations(student, rng):
    """The best of all candidates of each sentence: scores, rows and tokens."""
    for n_sentences, beams, vocab_size, n in [(2, 3, 7, 4), (3, 1, 6, 6), (1, 4, 5, 8)]:
        scores = 2 * normal(rng, n_sentences, beams)
        scores = scores.sort(descending=True).values
        following = (2 * normal(rng, n_sentences * beams, vocab_size)).log_softmax(-1)
        made = answered(
            lambda scores=scores, following=following, n=n: student.continuations(
                scores, following, n
            ),
            "(sentences, beams) scores and (sentences · beams, vocab_size) log probabilities",
            READ,
        )
        totals, rows, tokens = expect.parts(made, 3, read="the docstring of `continuations`")
        check_candidates(scores, following, n, totals, rows, tokens)


def check_candidates(scores, following, n, totals, rows, tokens):
    (n_sentences, beams), vocab_size = scores.shape, following.shape[1]
    sums = scores[..., None] + following.view(n_sentences, beams, vocab_size)
    best, places = sums.flatten(1).topk(n)
    for name, value in (("scores", totals), ("rows", rows), ("tokens", tokens)):
        expect.shape(
            value,
            (n_sentences, n),
            otherwise="n continuations of each sentence, whatever beam they extend",
            read="the docstring of `continuations`",
            what=f"the {name}",
        )
    order = torch.as_tensor(totals).argsort(dim=1, descending=True)
    totals, rows, tokens = (torch.as_tensor(x).gather(1, order) for x in (totals, rows, tokens))
    alone = following.view(n_sentences, -1).topk(n).values
    own = sums.topk(max(1, n // beams), dim=2).values.flatten(1)
    whole = sums.flatten().topk(n).values
    causes = {
        MISTAKE.continuations_not_added: alone,
        "each beam gives its own best: all continuations of a sentence compete": (
            own.sort(descending=True).values
        ),
        "the n worst, not the n best": sums.flatten(1).topk(n, largest=False).values.flip(1),
        "probabilities, not their logarithms": best.exp(),
        "the log probabilities are subtracted": (
            scores[..., None] - following.view(n_sentences, beams, vocab_size)
        )
        .flatten(1)
        .topk(n)
        .values,
        "multiplied: log probabilities are added": (
            scores[..., None] * following.view(n_sentences, beams, vocab_size)
        )
        .flatten(1)
        .topk(n)
        .values,
    }
    if n_sentences > 1:
        causes[MISTAKE.continuations_mixed] = whole.expand(n_sentences, -1)
    expect.close(
        totals,
        best,
        atol=1e-5,
        otherwise="the n largest of score + log probability in each sentence",
        read=READ,
        what="the scores",
    )
    first = torch.arange(0, n_sentences * beams, beams)[:, None]
    swapped = {
        MISTAKE.continuations_exchanged: (first + places % vocab_size),
        MISTAKE.continuations_rows_from_0: (places // vocab_size),
        "divided by the number of beams: index = beam · vocab_size + token": first
        + places // beams,
    }
    expect.close(rows, first + places // vocab_size, read=READ, what="the rows")
    expect.close(
        tokens,
        places % vocab_size,
        read=READ,
        what="the tokens",
    )
