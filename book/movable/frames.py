"""A movable figure: its controls, and a frame for every setting of them, drawn as SVG.

Lengths are those of the view box, 480 wide; the page scales it. Colors come from `movable.css`, so
that a frame is right on a light and on a dark page.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from html import escape
from itertools import product
from math import prod

WIDTH, HEIGHT = 480, 200
LEFT, BOTTOM, TOP = 20, 165, 44  # of the area in which bars and curves are drawn


@dataclass(frozen=True)
class Control:
    """A control for the reader: its name, its values in order, and the one that is shown first.

    A control with an order is a slider; one without is a list to choose from.
    """

    label: str
    values: tuple[str, ...]
    start: int = 0
    ordered: bool = True


@dataclass(frozen=True)
class Frame:
    """One picture: the elements of an SVG, and what it shows in a sentence."""

    elements: str
    said: str
    height: int = HEIGHT


@dataclass(frozen=True)
class Movable:
    """A title, controls, and a frame for each combination of values, the last control fastest."""

    title: str
    controls: tuple[Control, ...]
    frames: tuple[Frame, ...]

    def __post_init__(self) -> None:
        wanted = prod(len(control.values) for control in self.controls)
        if len(self.frames) != wanted:
            raise ValueError(f"{self.title}: {len(self.frames)} frames for {wanted} settings")

    @property
    def start(self) -> int:
        """The number of the frame that is shown first, and where no script runs."""
        place = 0
        for control in self.controls:
            place = place * len(control.values) + control.start
        return place


def every(controls: tuple[Control, ...], draw: Callable[..., Frame]) -> tuple[Frame, ...]:
    """A frame for every setting: `draw` gets the place of each control's value."""
    return tuple(draw(*places) for places in product(*(range(len(c.values)) for c in controls)))


def text(x: float, y: float, said: str, kind: str = "label", anchor: str = "middle") -> str:
    """A line of text."""
    return f'<text class="{kind}" x="{x:g}" y="{y:g}" text-anchor="{anchor}">{escape(said)}</text>'


def line(x1: float, y1: float, x2: float, y2: float, kind: str = "axis") -> str:
    """A straight line."""
    return f'<line class="{kind}" x1="{x1:.1f}" y1="{y1:.1f}" x2="{x2:.1f}" y2="{y2:.1f}"/>'


def box(x: float, y: float, width: float, height: float, kind: str, opacity: float = 1.0) -> str:
    """A rectangle; `opacity` shades it between the paper and its color."""
    shade = "" if opacity == 1.0 else f' fill-opacity="{opacity:.2f}"'
    return (
        f'<rect class="{kind}" x="{x:.1f}" y="{y:.1f}" width="{width:.1f}" '
        f'height="{height:.1f}"{shade}/>'
    )


def bars(values: Sequence[float], names: Sequence[str]) -> str:
    """Bars of shares between 0 and 1, each with its name below and its value above."""
    step = (WIDTH - 2 * LEFT) / len(values)
    drawn = [line(LEFT, BOTTOM, WIDTH - LEFT, BOTTOM)]
    for place, (value, name) in enumerate(zip(values, names, strict=True)):
        middle, height = LEFT + (place + 0.5) * step, value * (BOTTOM - TOP)
        drawn.append(box(middle - 0.35 * step, BOTTOM - height, 0.7 * step, height, "bar"))
        drawn.append(text(middle, BOTTOM - height - 6, f"{value:.2f}", "value"))
        drawn.append(text(middle, BOTTOM + 22, name))
    return "".join(drawn)


def curve(values: Sequence[float], highest: float, below: str, at_highest: str) -> str:
    """A curve from left to right, on axes with 0 at the bottom and `highest` at the top."""
    step = (WIDTH - 2 * LEFT) / (len(values) - 1)
    points = " ".join(
        f"{LEFT + place * step:.1f},{BOTTOM - value / highest * (BOTTOM - TOP):.1f}"
        for place, value in enumerate(values)
    )
    return (
        line(LEFT, BOTTOM, WIDTH - LEFT, BOTTOM)
        + line(LEFT, BOTTOM, LEFT, TOP)
        + text(LEFT + 6, TOP + 4, at_highest, anchor="start")
        + text(WIDTH - LEFT, BOTTOM + 22, below, anchor="end")
        + f'<polyline class="curve" points="{points}"/>'
    )


def table(
    rows: Sequence[Sequence[float | None]], names: Sequence[str], columns: Sequence[str] = ()
) -> str:
    """A table of shares with the names of its rows and, if they differ, of its columns.

    None is a hidden cell.
    """
    cell, left, top = 66, 100, 34
    above = columns or names
    drawn = [text(left + (j + 0.5) * cell, top - 10, name) for j, name in enumerate(above)]
    for i, (name, row) in enumerate(zip(names, rows, strict=True)):
        y = top + 32 * i
        drawn.append(text(left - 10, y + 21, name, anchor="end"))
        for j, share in enumerate(row):
            x = left + j * cell
            drawn.append(box(x, y, cell, 32, "cell"))
            if share is None:
                drawn.append(text(x + cell / 2, y + 21, "·"))
            else:
                drawn.append(box(x, y, cell, 32, "share", 0.45 * share))
                drawn.append(text(x + cell / 2, y + 21, f"{share:.2f}", "value"))
    return "".join(drawn)
