"""Hidden tests of exercise 3.12: how much attention each token receives."""

import torch

from autograder.a3.tensors import normal
from grader.checking.question import question

READ = "exercise 3.12; Appendix, Figures 3-5"
MEAN = "for each key: the mean over the heads and the real queries of its weight"


@question("3.12", weight=2, advice=MEAN, read=READ)
def test_without_padding(its, rng):
    """The mean over heads and real queries of each real key's weight; padding receives zero."""
    found = []
    for rows in ([[1] * 4] * 2, [[0, 0, 0], [1, 1, 0]],
                 [[1, 1, 1, 1, 1], [1, 1, 1, 0, 0], [0, 1, 1, 0, 1]]):  # fmt: skip
        real = torch.tensor(rows).bool()[:, None, None]
        scores = 2 * normal(rng, len(rows), 3, len(rows[0]), len(rows[0]))
        weights = scores.masked_fill(~real, -1e9).softmax(-1) * real
        found.append(its.attention_received(weights, real))
        found.append(its.attention_received(scores.softmax(-1), real))
    return found
