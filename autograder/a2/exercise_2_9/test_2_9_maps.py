"""Hidden tests of exercise 2.9: a heat map for every head."""

from autograder.a2.exercise_2_9.test_2_9_diversity import weights_of
from grader.checking.question import question, refusal

PLOT = "Appendix, Figure 5"
TOKENS = ["the", "cat", "saw", "the"]


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
