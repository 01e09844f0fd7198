"""Horizontal bars, the longest on top: shares of one whole."""

from __future__ import annotations

from collections.abc import Mapping

from matplotlib.figure import Figure
from matplotlib.ticker import PercentFormatter

from .canvas import BLUE, canvas, styled


def bars(shares: Mapping[str, float], xlabel: str) -> Figure:
    """One bar a name; each is labelled with its share in percent. The patches are in order."""
    ordered = sorted(shares.items(), key=lambda item: -item[1])
    with styled():
        figure, (ax,) = canvas(8.2, 0.8 + 0.34 * len(ordered))
        drawn = ax.barh([name for name, _ in ordered], [share for _, share in ordered], 0.6)
        for patch in drawn:
            patch.set_facecolor(BLUE)
        ax.bar_label(drawn, labels=[f"{100 * share:.0f} %" for _, share in ordered], padding=4)
        ax.invert_yaxis()
        ax.set_xlim(0, max(shares.values()) * 1.12 or 1)
        ax.tick_params(axis="y", length=0)
        ax.set_xlabel(xlabel)
        ax.xaxis.set_major_formatter(PercentFormatter(1, decimals=0, symbol=" %"))
        ax.grid(axis="x")
    return figure
