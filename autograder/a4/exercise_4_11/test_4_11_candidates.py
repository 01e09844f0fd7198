"""Hidden tests of exercise 4.11, step 1: the length penalty and the best continuations."""

import torch

from autograder.a4.table_search import drawn
from grader.checking.question import question

BEST = (
    "((5 + |Y|) / 6)^α; the n largest of score + log probability in each sentence, "
    "whatever beam they extend"
)


@question("4.11", advice=BEST, read="Wu et al. 2016, Eq. 14; the docstring of `continuations`")
def test_continuations(its, rng):
    """The length penalty, and the best of all candidates of each sentence: scores, rows, tokens."""
    answer = {
        f"the factors of 0, 1, 7, 19 and 55 tokens, α = {alpha}": [
            its.length_penalty_factor(n, alpha) for n in (0, 1, 7, 19, 55)
        ]
        for alpha in (0.0, 0.6, 1.0, 2.0)
    }
    for count, beams, vocab_size, n in ((2, 3, 7, 4), (3, 1, 6, 6), (1, 4, 5, 8), (2, 2, 4, 9)):
        scores = 2 * torch.from_numpy(rng.normal(size=(count, beams)).astype("float32"))
        following = drawn(rng, vocab_size, 2.0, count * beams)
        three = its.continuations(scores.sort(descending=True).values, following, n)
        for name, value in zip(("scores", "rows", "tokens"), three, strict=True):
            answer[f"{name} of the {n} best of {count} × {beams} beams"] = value
    return answer
