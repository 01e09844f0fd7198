"""Hidden tests of exercise 4.11, steps 2 and 3: which candidates finish, and when to stop."""

import math

import numpy as np
import torch

from autograder.a3.answers import answered
from autograder.a4.searching import END
from grader.checking import expect
from grader.checking.exercise import exercise
from grader.checking.known_mistakes import known_mistakes

MISTAKE = known_mistakes(__file__)

SPLIT, STOP = "the docstring of `split_candidates`", "the docstring of `is_final`"
NO_CHANCE = -1e6  # stands for −∞, so that scores can be subtracted
FOUND = (
    "(lambda Hypothesis: [Hypothesis([], s, True) for s in scores])(__import__('dataclasses')"
    ".make_dataclass('Hypothesis', ['tokens', 'score', 'finished'], frozen=True))"
)


def candidates(rng, width, ends):
    """Three sentences of `2 * width` ranked candidates; END has the ranks `ends`."""
    n = 2 * width
    totals = -torch.from_numpy(rng.uniform(0.2, 1.0, size=(3, n)).astype("float32")).cumsum(1)
    tokens = torch.from_numpy(rng.integers(4, 40, size=(3, n)))
    for sentence, own in enumerate(ends):
        tokens[sentence, list(own)] = END
    return totals, tokens


def split(student, totals, tokens, width, *end):
    """What `split_candidates` returns, as tensors; −∞ as a number."""
    made = answered(
        lambda: student.split_candidates(totals, tokens, width, *end),
        "(sentences, n) totals, best first, and their tokens",
        SPLIT,
    )
    scores, places, finished = expect.parts(
        made, 3, otherwise="return (scores, places, finished)", read=SPLIT
    )
    for name, value in (("scores", scores), ("places", places)):
        expect.shape(value, (len(totals), width), read=SPLIT, what=f"the {name} of the next beam")
    expect.shape(finished, tuple(totals.shape), read=SPLIT, what="`finished`")
    expect.dtype(finished, "bool", read=SPLIT, what="`finished`")
    return torch.as_tensor(scores).clamp(min=NO_CHANCE), torch.as_tensor(places), finished


def going_on(totals, tokens, width, end=END):
    """The scores of the next beam, by definition."""
    allowed = totals.masked_fill(tokens == end, NO_CHANCE)
    return allowed.sort(dim=1, descending=True).values[:, :width].clamp(min=NO_CHANCE)


@exercise("4.11", weight=2)
def test_which_candidates_finish(student, rng):
    """END among the `width` best finishes a hypothesis, and no other candidate does."""
    for width, ends in ((2, ((0,), (1, 2), (3,))), (4, ((0, 3, 4), (5, 7), (1, 2)))):
        totals, tokens = candidates(rng, width, ends)
        is_end = tokens == END
        rank = torch.arange(2 * width).expand(3, -1)
        expect.close(
            split(student, totals, tokens, width)[2],
            is_end & (rank < width),
            otherwise="True at end tokens among the `width` best",
            read=SPLIT,
            what=f"`finished` for a width of {width}",
        )


@exercise("4.11", weight=2)
def test_which_candidates_continue(student, rng):
    """The `width` best candidates that are no END, their scores and their places."""
    for width, ends in ((2, ((0,), (1, 2), (3,))), (4, ((0, 3, 4), (2, 7), (0, 1)))):
        totals, tokens = candidates(rng, width, ends)
        scores, places, _ = split(student, totals, tokens, width)
        wanted = going_on(totals, tokens, width)
        masked = totals.masked_fill(tokens == END, NO_CHANCE)
        expect.close(
            scores,
            wanted,
            atol=1e-5,
            otherwise="the `width` best that are no end token",
            read=SPLIT,
            what=f"the scores of the next beam for a width of {width}",
        )
        expect.close(
            totals.gather(1, places.long().clamp(0, 2 * width - 1)),
            wanted,
            atol=1e-5,
            otherwise="places count all candidates of the sentence, ends included",
            read=SPLIT,
            what="the totals at `places`",
        )


@exercise("4.11")
def test_candidates_without_a_chance(student):
    """Candidates of probability 0 finish nothing; a beam with too few others has −∞."""
    totals = torch.tensor([[-1.0, -2.0, -math.inf, -math.inf, -math.inf, -math.inf]])
    tokens = torch.tensor([[END, 5, END, 6, 7, 8]])
    scores, _, finished = split(student, totals, tokens, 3)
    expect.close(
        finished,
        [[True, False, False, False, False, False]],
        read=SPLIT,
        what="`finished` with an end of probability 0",
    )
    expect.close(
        scores,
        [[-2.0, NO_CHANCE, NO_CHANCE]],
        otherwise="−∞ where there are too few candidates",
        read=SPLIT,
        what="the scores of the next beam, −∞ as -1,000,000",
    )


@exercise("4.11", weight=0.5)
def test_another_end(student, rng):
    """`end` may be another token; END is then an ordinary one."""
    totals, tokens = candidates(rng, 2, ((0,), (1,), (3,)))
    tokens[0, 1] = tokens[1, 0] = tokens[2, 1] = 9
    finished = split(student, totals, tokens, 2, 9)[2]
    rank = torch.arange(4).expand(3, -1)
    expect.close(
        finished,
        (tokens == 9) & (rank < 2),
        read=SPLIT,
        what="`finished` with end=9",
    )


# Scores of finished hypotheses, the bound, width and n_best.
QUESTIONS = (
    ((), -1.0, 2, 1),
    ((), -math.inf, 2, 1),
    ((-3.0,), -1.0, 1, 1),
    ((-3.0, -1.0), -0.5, 2, 1),
    ((-1.0,), -2.0, 3, 1),
    ((-1.0,), -0.5, 3, 1),
    ((-1.0, -3.0), -2.0, 3, 2),
    ((-3.0, -1.0), -2.0, 3, 1),
    ((-1.0, -3.0, -1.5), -1.6, 4, 2),
    ((-1.0, -2.0), -2.0, 3, 2),
    ((-1.0,), -2.0, 3, 2),
)


def final(scores, bound, width, n_best):
    """The stop rule by definition."""
    best = sorted(scores, reverse=True)
    certain = len(best) >= n_best and best[n_best - 1] >= bound
    return len(best) >= width or bound == -math.inf or certain


def first_come(scores, bound, width, n_best):
    return final((), bound, width, n_best) or (
        len(scores) >= width or len(scores) >= n_best and scores[n_best - 1] >= bound
    )


@exercise("4.11", weight=3)
def test_when_to_stop(student):
    """Done, without a prefix, certain, and each time just not so."""
    mistakes = {
        MISTAKE.final_at_the_first: lambda s, bound, *_: bool(s) or bound == -math.inf,
        MISTAKE.final_never_done: lambda s, bound, _, n: final(s, bound, 10**6, n),
        MISTAKE.final_never_certain: (
            lambda s, bound, width, _: len(s) >= width or bound == -math.inf
        ),
        MISTAKE.final_no_prefix_left: (
            lambda s, bound, width, n: final(s, max(bound, NO_CHANCE), width, n)
        ),
        MISTAKE.final_best_not_nth: (
            lambda s, bound, width, n: (
                final(s, bound, width, min(n, len(s)) and 1)
                if len(s) >= n
                else final(s, bound, width, n)
            )
        ),
        MISTAKE.final_unsorted: first_come,
        "a score equal to `bound` does not count: nothing can score more": (
            lambda s, bound, width, n: (
                final(s, np.nextafter(bound, 0), width, n) if math.isfinite(bound) else True
            )
        ),
    }
    found = []
    for scores, *rest in QUESTIONS:
        hypotheses = student.make(FOUND, scores=list(scores))
        found.append(
            bool(
                answered(
                    lambda h=hypotheses, r=rest: student.is_final(h, *r),
                    "a list of hypotheses, a bound, the width and n_best",
                    STOP,
                )
            )
        )
    expect.equal(
        found,
        [final(*question) for question in QUESTIONS],
        otherwise="done, no prefix left, or `n_best` scores of at least `bound`",
        read=STOP,
        what=f"is it final? asked with {len(QUESTIONS)} sets of scores, bound, width and n_best",
    )
