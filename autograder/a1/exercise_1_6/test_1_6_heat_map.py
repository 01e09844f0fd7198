"""Hidden tests of exercise 1.6: a heat map, checked through the data of its Axes."""

import numpy as np

from grader.checking.exercise import fixture
from grader.checking.question import question, refusal

READ = "exercise 1.6"
TOKENS = ["the", "cat", "watched", "the", "mouse"]
NEW = "__import__('matplotlib.figure').figure.Figure(figsize=(2, 2)).subplots()"
CLOSE = "__import__('matplotlib.pyplot').pyplot.close('all')"
EXTENT = "[list(image.get_extent()) for image in ax.images]"
CELLS = "np.ma.masked_array(weights, ~mask), with the mask broadcast to their shape"
ONCE = "draw once, into `ax`, or into a new figure when `ax` is None; then return ax"
LABELS = "positions and labels at once: ax.set_xticks(range(n), labels=tokens)"
NAMES = "rows are queries, columns keys; vmin=0, vmax=1; ax.set(title=…, xlabel=…, ylabel=…)"


def _weights(rng, n=5):
    drawn = rng.random((n, n))
    return drawn / drawn.sum(axis=1, keepdims=True)


def _shown(axes):
    """What an Axes shows: images, NaN where they are masked; labels by row and column; names."""
    data, n = axes.axes(), len(TOKENS)
    extents = axes._student.make(EXTENT, ax=axes).get() or [[0, n, 0, n]]
    found = {
        "images": [
            np.where(mask, np.nan, image)
            for image, mask in zip(data["images"], data["image_masks"], strict=True)
        ],
        "color limits": data["colour_limits"],
        "the color map is viridis or cividis": all(
            name.removesuffix("_r") in ("viridis", "cividis") for name in data["colour_maps"]
        ),
        "there is a title": bool(data["title"].strip()),
        "both axes have a label": bool(data["xlabel"].strip() and data["ylabel"].strip()),
        "a label names the other axis": "quer" in data["xlabel"].lower()
        or "key" in data["ylabel"].lower(),
    }
    for axis, ends in (("x", extents[0][:2]), ("y", extents[0][2:])):
        cell = abs(ends[1] - ends[0]) / len(data["images"][0]) if data["images"] else 1
        found[f"{axis} labels"] = [
            [round((place - min(ends)) / cell - 0.5, 1), text.strip()]
            for place, text in zip(data[f"{axis}ticks"], data[f"{axis}ticklabels"], strict=True)
            if text.strip()
        ]
    return found
