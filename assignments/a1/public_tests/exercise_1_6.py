"""The visible checks of exercise 1.6: an attention heat map."""

import numpy as np

from grader.checking.exercise import fixture
from grader.checking.question import question, refusal

# Three tokens, and weights that are easy to read; which keys the first mask allows.
TOKENS = ["the", "cat", "sleeping"]
WEIGHTS = np.array([[0.9, 0.1, 0.0], [0.4, 0.5, 0.1], [0.3, 0.2, 0.5]])
MASK = np.array([[True, False, False], [True, True, False], [True, True, True]])
ONE_ROW = np.array([True, True, False])
NEW = "__import__('matplotlib.figure').figure.Figure().subplots()"
READ = "exercise 1.6"
DRAW = "draw the weights as they are, once, into `ax` or into a new figure; then return ax"
LABELS = "set positions and labels in one call: ax.set_xticks(range(n), tokens)"
COLORS = "vmin=0, vmax=1, and viridis or cividis"
CELLS = "np.ma.masked_array(weights, ~mask), with the mask broadcast to their shape"


def _images(shown):
    """The images, and which of their cells are masked."""
    cells = [str(np.argwhere(np.isnan(image)).tolist()) for image in shown["images"]]
    return {"masked cells": cells, "images": [np.nan_to_num(image) for image in shown["images"]]}


# What several tests look at is drawn once for all of them.


@fixture
def drawn(its):
    """Two maps in new figures, read after the second is drawn."""
    axes = [its.plot_attention(weights, TOKENS) for weights in (WEIGHTS, WEIGHTS[::-1] / 2)]
    return [one.axes() for one in axes]


@question("1.6", weight=2, advice=DRAW, read=READ)
def test_two_inputs(drawn):
    """Two inputs give two different maps, with queries as rows and keys as columns."""
    return [shown["images"] for shown in drawn]


@question("1.6", weight=2, advice=LABELS, read=READ)
def test_labels(drawn):
    """Every token labels its row and its column; the map has a title and two axis labels."""
    shown, found = drawn[0], {}
    for axis, cells in (("x", "columns"), ("y", "rows")):
        ticks = zip(shown[f"{axis}ticks"], shown[f"{axis}ticklabels"], strict=True)
        found[cells] = sorted(f"{int(np.floor(at + 1e-6))}: {text}" for at, text in ticks if text)
    names = ("title", "xlabel", "ylabel")
    found |= {f"there is a {name}": bool(shown[name]) for name in names}
    return found | {"x is named after queries": "quer" in shown["xlabel"].lower()}


@question("1.6", weight=2, advice=COLORS, read=READ)
def test_colours(drawn):
    """Colors run from 0 to 1 in every map, in a color map that everybody can read."""
    names = [name.removesuffix("_r") for name in drawn[1]["colour_maps"]]
    other = [name for name in names if name not in ("viridis", "cividis")]
    return {
        "color limits": drawn[1]["colour_limits"],
        "color maps other than viridis and cividis": other,
    }


@question("1.6", weight=3, advice=CELLS, read=READ)
def test_forbidden_cells(its):
    """Cells forbidden by the mask are masked in the image; a one-row mask applies to every row."""
    found = {}
    for rows, mask in (("three rows", MASK), ("one row", ONE_ROW)):
        shown = its.plot_attention(WEIGHTS, TOKENS, mask).axes()
        found |= {f"{name} with a mask of {rows}": one for name, one in _images(shown).items()}
    return found


@question("1.6", weight=2, advice=DRAW, read=READ)
def test_given_axes(its):
    """A given `ax` is drawn into; weights that do not match the tokens raise a ValueError."""
    ax = its.make(NEW)
    its.plot_attention(WEIGHTS, TOKENS, ax=ax)
    shown = ax.axes()
    found = {"images in the given `ax`": len(shown["images"]), "its title": bool(shown["title"])}
    for tokens, weights in ((2, WEIGHTS), (3, WEIGHTS[:, :2])):
        wrong = refusal(lambda n=tokens, weights=weights: its.plot_attention(weights, TOKENS[:n]))
        found[f"{weights.shape} weights of {tokens} tokens"] = wrong
    return found
