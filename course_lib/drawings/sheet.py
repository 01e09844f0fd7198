"""A sheet of paper on which boxes, cells, texts and arrows are drawn as SVG."""

import re
from collections.abc import Callable, Sequence
from html import escape
from itertools import groupby
from typing import Any

from .drawing import Drawing, Place
from .palette import attributes, style

SUBSCRIPT = re.compile(r"_\{([^}]*)\}")
SMALLEST = 13  # font size, in pixels
SIZE = 14
HEAD = 8.0  # length of an arrowhead
DASHED = ' stroke-dasharray="4 3"'
Component = Callable[..., object]  # a function or a class


class Sheet:
    """Collects elements in the order in which they are drawn. Lengths are in pixels.

    In texts, `d_{k}` is a d with the subscript k.
    """

    def __init__(self, width: int, height: int) -> None:
        self.width, self.height = width, height
        self.elements: list[tuple[str, str]] = []  # role and element
        self.places: list[Place] = []

    def _draw(self, element: str, role: str) -> None:
        self.elements.append((role, element))

    def box(
        self,
        x: float,
        y: float,
        width: float,
        height: float,
        role: str,
        *lines: str,
        size: int = SIZE,
        dashed: bool = False,
        bold: bool = False,
        of: Component | None = None,
    ) -> None:
        """A rounded rectangle with centered lines of text; `of` as in `place`."""
        dash = DASHED if dashed else ""
        self._draw(
            f'<rect x="{x:g}" y="{y:g}" width="{width:g}" height="{height:g}" rx="5"{dash}/>', role
        )
        step = size * 1.3
        top = y + height / 2 - step * (len(lines) - 1) / 2 + size * 0.35
        for number, line in enumerate(lines):
            self.text(x + width / 2, top + number * step, line, size=size, bold=bold)
        if of is not None:
            self.place(x, y, width, height, of, " ".join(lines))

    def place(
        self, x: float, y: float, width: float, height: float, of: Component, label: str
    ) -> None:
        """Remember that a rectangle stands for a function or class; nothing is drawn."""
        component = f"{of.__module__}:{of.__name__}"
        self.places.append(Place(x, y, width, height, label, component))

    def grid(
        self,
        x: float,
        y: float,
        size: tuple[float, float],
        roles: Sequence[Sequence[str]],
        texts: Sequence[Sequence[str]] = (),
    ) -> None:
        """Rows of cells of one width and height, each with its role and with or without a text."""
        width, height = size
        squares: dict[str, list[str]] = {}
        for i, row in enumerate(roles):
            for j, role in enumerate(row):
                corner = f"M{x + j * width:g},{y + i * height:g}"
                squares.setdefault(role, []).append(f"{corner}h{width:g}v{height:g}h-{width:g}z")
        for role in sorted(squares):
            self._draw(f'<path d="{" ".join(squares[role])}"/>', role)
        for i, row in enumerate(texts):
            for j, text in enumerate(row):
                if text:
                    middle = x + (j + 0.5) * width
                    self.text(middle, y + (i + 0.5) * height + 4, text, size=SMALLEST)

    def text(
        self,
        x: float,
        y: float,
        text: str,
        size: int = SIZE,
        role: str = "ink",
        anchor: str = "middle",
        bold: bool = False,
    ) -> None:
        """One line of text; `y` is its baseline."""
        sizes = "" if size == SIZE else f' font-size="{size}"'
        where = "" if anchor == "start" else f' text-anchor="{anchor}"'
        weight = ' font-weight="bold"' if bold else ""
        self._draw(
            f'<text x="{x:g}" y="{y:.4g}"{sizes}{where}{weight}>'
            f"{_with_subscripts(text, size)}</text>",
            role,
        )

    def line(self, *points: tuple[float, float], role: str = "line", dashed: bool = False) -> None:
        """A line through points."""
        path = " ".join(f"{x:g},{y:g}" for x, y in points)
        self._draw(f'<polyline points="{path}"{DASHED if dashed else ""}/>', role)

    def arrow(self, *points: tuple[float, float], role: str = "line", head: str = "head") -> None:
        """A line through points with an arrowhead at the last one."""
        (x0, y0), (x1, y1) = points[-2:]
        length = ((x1 - x0) ** 2 + (y1 - y0) ** 2) ** 0.5
        ux, uy = (x1 - x0) / length * HEAD, (y1 - y0) / length * HEAD
        self.line(*points[:-1], (x1 - ux * 0.8, y1 - uy * 0.8), role=role)
        left = (x1 - ux - uy / 2, y1 - uy + ux / 2)
        right = (x1 - ux + uy / 2, y1 - uy - ux / 2)
        path = " ".join(f"{x:.4g},{y:.4g}" for x, y in ((x1, y1), left, right))
        self._draw(f'<polygon points="{path}"/>', head)

    def plus(self, x: float, y: float, radius: float = 11) -> None:
        """A sum: a plus in a circle."""
        self._draw(f'<circle cx="{x:g}" cy="{y:g}" r="{radius:g}"/>', "plain")
        self.line((x - radius / 2, y), (x + radius / 2, y))
        self.line((x, y - radius / 2), (x, y + radius / 2))

    def drawing(self, name: str, title: str, alt: str, data: Any, table: str = "") -> Drawing:
        """The finished drawing, on its own paper: readable whatever the color of the page."""
        used = {"paper", *(role for role, _ in self.elements)}
        groups = [
            f"<g {attributes(role)}>\n" + "\n".join(element for _, element in members) + "\n</g>"
            for role, members in groupby(self.elements, key=lambda element: element[0])
        ]
        svg = (
            f'<svg xmlns="http://www.w3.org/2000/svg" class="course-drawing" '
            f'viewBox="0 0 {self.width} {self.height}" width="{self.width}" '
            f'height="{self.height}" role="img" aria-labelledby="{name}-title {name}-desc" '
            f'font-family="Helvetica, Arial, sans-serif" font-size="{SIZE}" '
            f'stroke-width="1.25">\n'
            f'<title id="{name}-title">{escape(title)}</title>\n'
            f'<desc id="{name}-desc">{escape(alt)}</desc>\n{style(used)}\n'
            f'<rect x=".5" y=".5" width="{self.width - 1}" height="{self.height - 1}" rx="8" '
            f"{attributes('paper')}/>\n" + "\n".join(groups) + "\n</svg>\n"
        )
        return Drawing(name, title, alt, svg, self.width, data, table, tuple(self.places))


def _with_subscripts(text: str, size: int) -> str:
    """`d_{k}` as a lowered tspan; what follows is raised again."""
    parts, lowered = [], False
    for number, part in enumerate(SUBSCRIPT.split(text)):
        if number % 2:
            small = max(SMALLEST, round(size * 0.8))
            parts.append(f'<tspan dy="4" font-size="{small}">{escape(part)}</tspan>')
        elif part:
            parts.append(f'<tspan dy="-4">{escape(part)}</tspan>' if lowered else escape(part))
        lowered = bool(number % 2)
    return "".join(parts)
