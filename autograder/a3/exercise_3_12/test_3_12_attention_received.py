"""Hidden tests of exercise 3.12: how much attention each token receives."""

import torch

from autograder.a3.tensors import normal
from grader.checking.question import question

READ = "exercise 3.12; Appendix, Figures 3-5"
MEAN = "for each key: the mean over the heads and the real queries of its weight"


def received(its, rng, rows, over_padding=False):
    """What tokens receive where `rows` are 1; padding queries attend to the real tokens, too."""
    real = torch.tensor(rows).bool()
    scores = 2 * normal(rng, len(real), 3, real.shape[1], real.shape[1])
    keys = real[:, None, None] | over_padding
    weights = scores.masked_fill(~keys, -1e9).softmax(-1) * keys
    called = its.call(its.attention_received, weights, real[:, None, None])
    return {"attention received": called.value, "arguments that it changed": called.changed}


@question("3.12", advice=MEAN, read=READ)
def test_without_padding(its, rng):
    """The mean over heads and queries of each key's weight; zeros if all is padding."""
    cases = ([[1] * 4] * 2, [[1]], [[1] * 6] * 3, [[1] * 5], [[0, 0, 0], [1, 1, 0]])
    return [received(its, rng, case)["attention received"] for case in cases]


@question("3.12", weight=2, advice=MEAN, read=READ)
def test_padding_queries_do_not_count(its, rng):
    """Only real queries count, wherever the padding is; rows sum to 1."""
    return received(its, rng, [[1, 1, 1, 1, 1], [1, 1, 1, 0, 0], [0, 1, 1, 0, 1]])


@question("3.12", advice="set what the padding receives to 0", read="the docstring of 3.12")
def test_padding_receives_nothing(its, rng):
    """Zeros at the padding, even if the model attends to it."""
    got = received(its, rng, [[1, 1, 0, 0], [1, 1, 1, 0]], True)["attention received"]
    return {"what the padding receives": [got[0, 2:], got[1, 3:]], "the shape": list(got.shape)}
