"""Hidden tests of exercise 4.11, steps 2 and 3: which candidates finish, and when to stop."""

import math

import torch

from grader.checking.question import question

ENDS = "ends among the `width` best finish; the `width` best that are no end continue; −∞: none"
FOUND = "[student['Hypothesis']([], score, True) for score in scores]"
# Scores of finished hypotheses, the bound, width and n_best.
ASKED = (
    [((), -1.0, 2, 1), ((), -math.inf, 2, 1), ((-3.0,), -1.0, 1, 1), ((-3.0, -1.0), -0.5, 2, 1)]
    + [((-1.0,), -2.0, 3, 1), ((-1.0,), -0.5, 3, 1), ((-1.0, -3.0), -2.0, 3, 2)]
    + [((-3.0, -1.0), -2.0, 3, 1), ((-1.0, -3.0, -1.5), -1.6, 4, 2), ((-1.0, -2.0), -2.0, 3, 2)]
    + [((-1.0,), -2.0, 3, 2), ((-4.0, -5.0), 0.0, 3, 1), ((-2.0,), -1.0, 2, 1)]
)


@question("4.11", advice=ENDS, read="the docstring of `split_candidates`")
def test_which_candidates_finish(its, rng):
    """Ends among the `width` best finish, and the `width` best of the others continue."""
    answer = {}
    for width, end, ranks in (
        (2, 3, ((0,), (1, 2), (3,))),
        (4, 3, ((0, 3, 4), (2, 7), (0, 1))),
        (2, 2, ((0,), (1,), (3,))),
    ):
        totals = -torch.from_numpy(rng.uniform(0.2, 1.0, (3, 2 * width))).float().cumsum(1)
        tokens = torch.full((3, 2 * width), end + 1)
        for sentence, own in enumerate(ranks):
            tokens[sentence, list(own)] = end
        parts = its.split_candidates(totals, tokens, width, end)
        for name, value in zip(("scores", "places", "finished"), parts, strict=True):
            answer[f"{name} with width {width}, end={end}"] = value
        answer["the type of `finished`"] = str(parts[2].dtype)
    # Probability 0 finishes nothing; −∞ where there are too few.
    totals = torch.tensor([[-1.0, -2.0, *[-math.inf] * 4]])
    scores, _, finished = its.split_candidates(totals, torch.tensor([[3, 5, 3, 6, 7, 8]]), 3)
    few, _, _ = its.split_candidates(totals[:, :4], torch.tensor([[4, 3, 3, 3]]), 3)
    return answer | {
        "`finished` with probabilities of 0": finished,
        "scores with probabilities of 0": scores,
        "scores of one candidate and ends": few,
    }


@question("4.11", advice="done, no prefix left, or `n_best` scores of at least `bound`")
def test_when_to_stop(its):
    """Done, without a prefix, certain, and each time just not so."""
    return {
        f"it is final: scores {list(scores)}, bound {bound}, width {width}, n_best {n}": bool(
            its.is_final(its.make(FOUND, scores=list(scores)), bound, width, n)
        )
        for scores, bound, width, n in ASKED
    }
