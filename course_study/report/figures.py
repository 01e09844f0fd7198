"""The figures of a report: each a function from data to a Figure whose artists tests read.

Colors are those of Okabe and Ito, dark enough for white paper; a page that may be dark puts its
own in their place, which is why every one stands for a role.
"""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

import matplotlib
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from ..findings import ALPHA
from ..pareto import pareto_front
from ..trial import Row

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
HIGHLIGHTS = {
    "recommended": {"color": ORANGE, "marker": "*", "markersize": 11},
    "default": {"color": BLUE, "marker": "D", "markersize": 5, "linestyle": "--"},
    "lowest quality": {"color": PURPLE, "marker": "s", "markersize": 5, "linestyle": ":"},
}
MARKS = {"default": ("D", 8, BLUE), "recommended": ("*", 15, ORANGE)}
KEYS = {"front": "best at its cost", "all": "configuration, 95 % interval"}


@contextmanager
def canvas(
    width: float, height: float, n_columns: int = 1
) -> Iterator[tuple[Figure, Sequence[Axes]]]:
    """A Figure of that many inches and its Axes, side by side; inside, the report's style holds."""
    with matplotlib.rc_context(STYLE):
        figure = Figure(figsize=(width, height), layout="constrained")
        yield figure, figure.subplots(1, n_columns, squeeze=False)[0]


def forest(rows: Sequence[Row], labels: Sequence[str], xlabel: str) -> Figure:
    """`rows` need `difference`, `low`, `high` and `adjusted`; the first is drawn on top.

    A row whose adjusted p-value is below 5 % is filled and blue or orange (better or worse); all
    others are hollow and grey. Each row is one errorbar container of the Axes, in order.
    """
    with canvas(8.2, 0.9 + 0.34 * len(rows)) as (figure, (ax,)):
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


def tradeoffs(
    lines: Sequence[Row],
    costs: Mapping[str, str],
    ylabel: str,
    half_widths: Sequence[float],
    marked: Mapping[str, int],
) -> Figure:
    """A point each of `lines` (`mean`, and the keys of `costs`), with ± its half width.

    `costs` maps a key to the label of its axis, `marked` a name of MARKS to the index of a line. In
    each Axes the errorbar container labeled "all" holds every point in order, and the line
    labeled "front" the panel's own front.
    """
    with canvas(4.4 * len(costs), 4.2, len(costs)) as (figure, axes):
        for ax, (cost, label) in zip(axes, costs.items(), strict=True):
            points = [(line[cost], line["mean"]) for line in lines]
            _panel(ax, points, half_widths, marked)
            ax.set(xlabel=label, ylabel=ylabel if ax is axes[0] else "")
            ax.margins(0.08)
        handles, names = axes[0].get_legend_handles_labels()
        names = [KEYS.get(name, name) for name in names]
        figure.legend(handles, names, fontsize=9.5, ncols=4, loc="outside lower center")
    return figure


def _panel(
    ax: Axes,
    points: Sequence[tuple[float, float]],
    half_widths: Sequence[float],
    marked: Mapping[str, int],
) -> None:
    front = sorted(points[i] for i in pareto_front(points, maximize=[False, True]))
    ax.plot(*zip(*front, strict=True), "--", color=QUIET, linewidth=1, label="front")
    xs, ys = zip(*points, strict=True)
    ax.errorbar(
        xs, ys, yerr=half_widths, fmt="o", color=GREY, markersize=5, elinewidth=1, label="all"
    )
    for name, (shape, size, colour) in MARKS.items():
        if name in marked:
            x, y = points[marked[name]]
            ax.plot(x, y, shape, color=colour, markersize=size, zorder=5, label=name)
    ax.grid()


def curves(lines: Sequence[tuple[str, Sequence[int], Sequence[float]]], ylabel: str) -> Figure:
    """Each of `lines` is `(name, steps, losses)`; one named as in HIGHLIGHTS is drawn so.

    A name may join two of them with " and " (the default may be recommended): it is drawn as the
    first of them. Every line of the Axes has its name as its label, "" as "_other".
    """
    with canvas(8.2, 4.0) as (figure, (ax,)):
        for name, steps, losses in sorted(lines, key=lambda line: bool(line[0])):
            look = HIGHLIGHTS.get(name.split(" and ")[0])
            if look is None:
                ax.plot(steps, losses, color=GREY, alpha=0.6, linewidth=1, label="_other")
            else:
                ax.plot(steps, losses, linewidth=2.2, label=name, **look)  # type: ignore[arg-type]
        ax.set(xlabel="training step", ylabel=ylabel)
        ax.grid()
        if any(name for name, _, _ in lines):
            ax.legend(fontsize=9.5)
    return figure
