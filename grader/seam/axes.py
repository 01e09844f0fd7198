"""Reads a matplotlib Axes as plain data, so that a test can check what a plot shows."""

from typing import Any

import numpy as np


def read(axes: Any) -> dict[str, Any]:
    """Title, labels, ticks, images, lines, bars and texts of one `matplotlib.axes.Axes`.

    Masked image cells become NaN; `image_masks` says which they were.
    Raises TypeError for anything else.
    """
    from matplotlib.axes import Axes

    if not isinstance(axes, Axes):
        raise TypeError(f"expected a matplotlib Axes, got a {type(axes).__name__}")
    mapped = [m for m in [*axes.images, *axes.collections] if m.get_array() is not None]
    images: list[Any] = [np.ma.asarray(image.get_array()) for image in mapped]
    titles = (axes.get_title("left"), axes.get_title(), axes.get_title("right"))
    return {
        "title": " ".join(filter(None, titles)),
        "xlabel": axes.get_xlabel(),
        "ylabel": axes.get_ylabel(),
        "xticklabels": _labels(axes.xaxis),
        "yticklabels": _labels(axes.yaxis),
        "xticks": [float(tick) for tick in axes.get_xticks()],
        "yticks": [float(tick) for tick in axes.get_yticks()],
        "images": [np.asarray(np.ma.filled(image.astype(float), np.nan)) for image in images],
        "image_masks": [np.ma.getmaskarray(image) for image in images],
        "colour_limits": [list(image.get_clim()) for image in mapped],
        "colour_maps": [image.get_cmap().name for image in mapped],
        "lines": [
            {
                "label": str(line.get_label()),
                "x": _floats(line.get_xdata()),
                "y": _floats(line.get_ydata()),
            }
            for line in axes.lines
        ],
        "bars": [
            float(patch.get_height()) for patch in axes.patches if hasattr(patch, "get_height")
        ],
        "texts": [text.get_text() for text in axes.texts],
        "colorbar": any(getattr(image, "colorbar", None) is not None for image in mapped),
    }


def _labels(axis: Any) -> list[str]:
    """One text per tick, empty if not shown. `get_majorticklabels` sets them without drawing."""
    axis.get_majorticklabels()
    return [
        tick.label1.get_text() if tick.label1.get_visible() or tick.label2.get_visible() else ""
        for tick in axis.get_major_ticks()
    ]


def _floats(values: Any) -> np.ndarray:
    return np.asarray(values, dtype=float)
