"""Convergence: the validation loss of every configuration over the steps."""

from __future__ import annotations

from collections.abc import Sequence

from matplotlib.figure import Figure

from .canvas import BLUE, GREY, ORANGE, PURPLE, canvas, styled

HIGHLIGHTS = {
    "recommended": {"color": ORANGE, "marker": "*", "markersize": 11},
    "default": {"color": BLUE, "marker": "D", "markersize": 5, "linestyle": "--"},
    "lowest quality": {"color": PURPLE, "marker": "s", "markersize": 5, "linestyle": ":"},
}


def curves(lines: Sequence[tuple[str, Sequence[int], Sequence[float]]], ylabel: str) -> Figure:
    """Each of `lines` is `(name, steps, losses)`; one named as in HIGHLIGHTS is drawn so.

    A name may join two of them with " and " (the default may be recommended): it is drawn as the
    first of them. Every line of the Axes has its name as its label, "" as "_other".
    """
    with styled():
        figure, (ax,) = canvas(8.2, 4.0)
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
