"""Hidden tests of exercise 2.9: how much heads differ, and a heat map for every head."""

import torch

from autograder.a2.tensors import normal
from grader.checking.question import question, refusal

DIVERSITY = "exercise 2.9, the formula"
ROWS = "leave rows without a key in both heads out of the sum and of the count"
PLOT = "Appendix, Figure 5"
TOKENS = ["the", "cat", "saw", "the"]


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


def labeled(one, axis):
    """The labels of an axis in order, whether they are at their cells, and its name."""
    pairs = zip(one[f"{axis}ticks"], one[f"{axis}ticklabels"], strict=False)
    # Ticks without a label are grid lines or matplotlib's own.
    places = sorted((tick, label) for tick, label in pairs if label)
    return {
        f"labels of {axis}": [label for _, label in places],
        # Cells are centered at 0, 1, 2, … in `imshow`, and ½ further in `pcolormesh`.
        f"labels of {axis} are at cells": all(abs(t - i) <= 0.5 for i, (t, _) in enumerate(places)),
        f"the axis {axis} has a name": bool(one[f"{axis}label"]),
    }


@question("2.9", weight=5, advice="a list of one `imshow` per head, vmin=0, vmax=1", read=PLOT)
def test_maps_of_all_heads(its, rng):
    """Each map shows its head, queries as rows, on one color scale; tokens label a single one."""
    found = {}
    for weights in (weights_of(rng, 5, 4, 4).numpy(), weights_of(rng, 1, 4, 4)):
        axes = its.plot_heads(weights, TOKENS)
        its.make("__import__('matplotlib.pyplot', fromlist=['close']).close('all')")
        maps = [one.axes() for one in axes] if isinstance(axes, (list, tuple)) else []
        found[f"Axes in a list for {len(weights)} heads"] = len(maps)
        for head, one in enumerate(maps):
            of, images = f"head {head} of {len(weights)}", one["images"]
            found[f"images of {of}"] = [image.reshape(image.shape[-2:]) for image in images]
            found[f"color limits of {of}"] = one["colour_limits"]
            found[f"the title of {of} has its number"] = str(head) in one["title"]
            for axis in "xy":  # the outer maps may name an axis for all
                labels = [label for label in one[f"{axis}ticklabels"] if label]
                found[f"labels of {axis}, {of}"] = labels or TOKENS
    for one in maps:
        found |= labeled(one, "x") | labeled(one, "y")
    wrong = {"few rows": weights[:, 1:], "few columns": weights[..., 1:], "few": weights[:, 1:, 1:]}
    calls = {n: refusal(lambda w=w: its.plot_heads(w, TOKENS)) for n, w in wrong.items()}
    return found | calls
