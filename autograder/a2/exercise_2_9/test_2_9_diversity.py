"""Hidden tests of exercise 2.9: a measure of how much heads differ."""

import torch

from autograder.a2.tensors import normal
from grader.checking.question import question, refusal

DIVERSITY = "exercise 2.9, the formula"
ROWS = "leave rows without a key in both heads out of the sum and of the count"


def weights_of(rng, *shape):
    return (2 * normal(rng, *shape).double()).softmax(-1)


@question("2.9", weight=4, advice=ROWS, read=DIVERSITY)
def test_padding_rows(its, rng):
    """A row counts for a pair if it has an allowed key in both heads, whatever its weights."""
    keys, rows = torch.ones(2, 1, 4, 4) > 0, torch.ones(2, 1, 4, 1) > 0
    keys[1, ..., 3] = rows[0, :, 3] = rows[1, :, 2:] = False
    mask, weights = keys & rows, weights_of(rng, 2, 3, 4, 4)
    three = torch.ones(3, 4, 4) > 0
    three[1, 2] = three[0, 3] = three[2, 1:] = False  # rows that one head alone has
    return {
        "a mask (batch, 1, n, n)": its.head_diversity(weights, mask),
        "a mask of full size": its.head_diversity(weights, mask.expand(2, 3, 4, 4).clone()),
        "a mask of each head": its.head_diversity(weights_of(rng, 3, 4, 4) * three, three),
    }


@question("2.9", weight=4, advice="the heads are the third axis from the end", read=DIVERSITY)
def test_fresh_weights(its, rng):
    """The mean over pairs of heads and rows, with or without batch axes, as a plain number."""
    found = {}
    for shape in [(3, 4, 5), (2, 4, 3, 3), (2, 2, 3, 2, 4)]:
        value = its.head_diversity(weights_of(rng, *shape))
        found[f"of shape {shape}"], found["a number"] = value, isinstance(value, (int, float))
    found["one head"] = refusal(lambda: its.head_diversity(weights_of(rng, 2, 1, 3, 3)))
    return found


@question("2.9", weight=3, corner=True, advice="0·log 0 counts as 0", read=DIVERSITY)
def test_zeros(its, rng):
    """Weights of exactly 0, as a causal mask leaves them and one-hot rows have them."""
    causal = weights_of(rng, 3, 4, 4).tril()
    two = {"causal": causal / causal.sum(-1, True), "one-hot": torch.eye(4)[[0, 1, 1], None]}
    return {name: its.head_diversity(weights) for name, weights in two.items()}
