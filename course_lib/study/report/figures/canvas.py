"""What all figures share: their colours, and a Figure that belongs to no window.

Colours are those of Okabe and Ito, dark enough for white paper; a page that may be dark puts its
own in their place, which is why every one stands for a role.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import matplotlib
from matplotlib.axes import Axes
from matplotlib.figure import Figure

INK, QUIET, RULE = "#1d2433", "#5b6372", "#dedbd2"
BLUE, ORANGE, PURPLE, GREY = "#0b62a4", "#c04a00", "#a3407f", "#8d939e"
ROLES = {
    INK: "ink",
    QUIET: "quiet",
    RULE: "rule",
    BLUE: "blue",
    ORANGE: "orange",
    PURPLE: "purple",
    GREY: "grey",
}
STYLE: Any = {
    "font.family": "sans-serif",
    "font.size": 10.5,
    "text.color": INK,
    "axes.edgecolor": QUIET,
    "axes.labelcolor": INK,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.axisbelow": True,
    "axes.titlesize": 11,
    "xtick.color": QUIET,
    "ytick.color": QUIET,
    "xtick.labelcolor": INK,
    "ytick.labelcolor": INK,
    "grid.color": RULE,
    "grid.linewidth": 0.8,
    "legend.frameon": False,
    "figure.facecolor": "none",
    "axes.facecolor": "none",
    "savefig.facecolor": "none",
    "svg.fonttype": "none",
}


@contextmanager
def styled() -> Iterator[None]:
    """Inside, matplotlib draws and saves in the report's style."""
    with matplotlib.rc_context(STYLE):
        yield


def canvas(width: float, height: float, n_columns: int = 1) -> tuple[Figure, list[Axes]]:
    """A Figure of that many inches, with its Axes side by side."""
    figure = Figure(figsize=(width, height), layout="constrained")
    axes = figure.subplots(1, n_columns, squeeze=False)
    return figure, list(axes[0])
