"""A forest plot: one difference a line, with its interval, around the line of no difference."""

from __future__ import annotations

from collections.abc import Sequence

from matplotlib.figure import Figure

from ...findings import ALPHA, Row
from .canvas import BLUE, GREY, INK, ORANGE, canvas, styled


def forest(
    rows: Sequence[Row], labels: Sequence[str], xlabel: str, line_height: float = 0.34
) -> Figure:
    """`rows` need `difference`, `low`, `high` and `adjusted`; the first is drawn on top.

    A row whose adjusted p-value is below 5 % is filled and blue or orange (better or worse); all
    others are hollow and grey. Each row is one errorbar container of the Axes, in order.
    `line_height` is in inches.
    """
    with styled():
        figure, (ax,) = canvas(8.2, 0.9 + line_height * len(rows))
        ax.axvline(0, color=INK, linewidth=1)
        for place, row in enumerate(rows):
            sure = row["adjusted"] < ALPHA
            colour = GREY if not sure else BLUE if row["difference"] > 0 else ORANGE
            left, right = row["difference"] - row["low"], row["high"] - row["difference"]
            ax.errorbar(
                row["difference"],
                place,
                xerr=[[left], [right]],
                fmt="o",
                color=colour,
                markerfacecolor=colour if sure else "none",
                markersize=6,
                elinewidth=1.6,
                capsize=3,
            )
        ax.set_yticks(range(len(rows)), labels=list(labels))
        ax.set_ylim(len(rows) - 0.5, -0.5)
        ax.tick_params(axis="y", length=0)
        ax.grid(axis="x")
        ax.set_xlabel(xlabel)
    return figure
