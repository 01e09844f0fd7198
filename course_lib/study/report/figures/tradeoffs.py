"""Quality against what it costs: one panel a cost, the Pareto front of that panel as a line."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from matplotlib.axes import Axes
from matplotlib.figure import Figure

from ...findings import Row
from ...pareto import pareto_front
from .canvas import BLUE, GREY, ORANGE, QUIET, canvas, styled


def tradeoffs(
    lines: Sequence[Row],
    costs: Mapping[str, str],
    ylabel: str,
    half_widths: Sequence[float],
    recommended: int | None,
    default: int | None,
) -> Figure:
    """A point each of `lines` (`mean`, and the keys of `costs`), with ± its half width.

    `costs` maps a key to the label of its axis; `recommended` and `default` are indices that are
    drawn in a colour and a shape of their own. In each Axes the errorbar container labelled "all"
    holds every point in order, and the line labelled "front" the panel's own front.
    """
    with styled():
        figure, axes = canvas(4.4 * len(costs), 4.2, len(costs))
        for ax, (cost, label) in zip(axes, costs.items(), strict=True):
            _panel(ax, lines, cost, half_widths, recommended, default)
            ax.set(xlabel=label, ylabel=ylabel if ax is axes[0] else "")
            ax.margins(0.08)
        figure.legend(*_keys(axes[0]), fontsize=9.5, ncols=4, loc="outside lower center")
    return figure


def _panel(
    ax: Axes,
    lines: Sequence[Row],
    cost: str,
    half_widths: Sequence[float],
    recommended: int | None,
    default: int | None,
) -> None:
    points = [(line[cost], line["mean"]) for line in lines]
    front = sorted(points[i] for i in pareto_front(points, maximize=[False, True]))
    ax.plot(*zip(*front, strict=True), "--", color=QUIET, linewidth=1, label="front")
    xs, ys = zip(*points, strict=True)
    ax.errorbar(
        xs, ys, yerr=half_widths, fmt="o", color=GREY, markersize=5, elinewidth=1, label="all"
    )
    marks = [(default, "D", BLUE, "default"), (recommended, "*", ORANGE, "recommended")]
    for index, shape, colour, label in marks:
        if index is not None:
            size = 15 if shape == "*" else 8
            ax.plot(*points[index], shape, color=colour, markersize=size, zorder=5, label=label)
    ax.grid()


def _keys(ax: Axes) -> tuple[list[Any], list[str]]:
    named = {"front": "best at its cost", "all": "configuration, 95 % interval"}
    handles, labels = ax.get_legend_handles_labels()
    return handles, [named.get(label, label) for label in labels]
