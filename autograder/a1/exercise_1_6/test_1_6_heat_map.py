"""Hidden tests of exercise 1.6: a heat map, checked through the data of its Axes."""

import numpy as np

from grader.checking.exercise import fixture
from grader.checking.question import question, refusal

READ = "exercise 1.6"
TOKENS = ["the", "cat", "watched", "the", "mouse"]
NEW = "__import__('matplotlib.figure').figure.Figure(figsize=(2, 2)).subplots()"
EXTENTS = "[list(image.get_extent()) for image in ax.images]"
CELLS = "np.ma.masked_array(weights, ~mask), with the mask broadcast to their shape"
ONCE = "draw once, into `ax`, or into a new figure when `ax` is None; then return ax"
LABELS = "positions and labels at once: ax.set_xticks(range(n), labels=tokens)"
NAMES = "rows are queries; viridis or cividis, vmin=0, vmax=1; ax.set(title=…, xlabel=…, ylabel=…)"


def _weights(rng, n=5):
    drawn = rng.random((n, n))
    return drawn / drawn.sum(axis=1, keepdims=True)


def _shown(its, axes):
    """The contents of an Axes. Labels are named with the number of their row or column."""
    data = axes.axes()
    images = data["images"]
    extents = its.make(EXTENTS, ax=axes).get()
    n = len(images[0]) if images else 1
    left, right, bottom, top = extents[0] if extents else (0, n, 0, n)
    x, y = data["xlabel"].lower(), data["ylabel"].lower()
    return {
        "images": [np.nan_to_num(image) for image in images],
        "masked cells": [str(np.argwhere(np.isnan(image)).tolist()) for image in images],
        "color limits": data["colour_limits"],
        "color maps": {name.removesuffix("_r") for name in data["colour_maps"]},
        "there is a title": bool(data["title"].strip()),
        "both axes are named": bool(x.strip() and y.strip()),
        "x is named after queries": "quer" in x and "key" not in x,
        "y is named after keys": "key" in y and "quer" not in y,
        "columns": _labels(data, "x", left, right, n),
        "rows": _labels(data, "y", bottom, top, n),
    }


def _labels(data, axis, first, last, n):
    ticks = zip(data[f"{axis}ticks"], data[f"{axis}ticklabels"], strict=True)
    cell = abs(last - first) / n
    places = [(round((at - min(first, last)) / cell - 0.5, 1), text.strip()) for at, text in ticks]
    return sorted(f"{at:g}: {text}" for at, text in places if text)


def _drawn(its, weights, **options):
    """The contents of small Axes that were passed in, and the arguments that were changed."""
    axes = its.make(NEW)
    called = its.call(its.plot_attention, weights, TOKENS, ax=axes, **options)
    returned = len(called.value.axes()["images"])
    return _shown(its, axes) | {"images returned": returned, "changed": called.changed}


def _some(shown, *names):
    return {name: shown[name] for name in names}


@fixture
def plain(its, rng):
    """A map without a mask, of weights of which two are exactly 0."""
    weights = _weights(rng)
    weights[[2, 3], [1, 2]] = 0.0
    return weights, _drawn(its, weights)


@question("1.6", weight=3, advice=LABELS, read=READ)
def test_labels(its, plain):
    """Tokens label their rows and columns, also one that occurs twice, and there are as many."""
    weights, shown = plain
    wrong = {"few rows": weights[1:], "few columns": weights[:, 1:], "few weights": weights[1:, 1:]}
    calls = {n: refusal(lambda w=w: its.plot_attention(w, TOKENS)) for n, w in wrong.items()}
    return _some(shown, "columns", "rows") | calls


@question("1.6", weight=3, advice=CELLS, read=READ)
def test_masked_cells(its, plain):
    """Cells forbidden by the mask are masked in the image, not drawn as zero; masks broadcast."""
    weights, found = plain[0], {}  # where the weight is 0, each mask allows it
    rows = [[1, 0, 0, 0, 1], [0, 1, 0, 1, 1], [1, 1, 1, 0, 0], [0, 1, 1, 1, 0], [1, 0, 0, 1, 1]]
    for mask in (np.array(rows, bool), np.array([True, True, True, False, True])):
        shown = _drawn(its, weights, mask=mask)
        some = _some(shown, "masked cells", "images", "changed")
        found |= {f"{name} with a mask {mask.shape}": value for name, value in some.items()}
    return found


@question("1.6", weight=3, advice=NAMES, read=READ)
def test_colours_and_names(plain):
    """Colors run from 0 to 1, readable by all; a title; x names the keys, y the queries."""
    names = ("there is a title", "both axes are named", "color limits")
    found = _some(plain[1], *names, "x is named after queries", "y is named after keys")
    others = plain[1]["color maps"] - {"viridis", "cividis"}
    return found | {"color maps but viridis and cividis": sorted(others)}
