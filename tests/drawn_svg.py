"""Reads an SVG drawing back: texts with their estimated boxes, rectangles, squares and lines."""

import re
from dataclasses import dataclass
from functools import lru_cache
from xml.etree import ElementTree

from matplotlib.font_manager import FontProperties
from matplotlib.textpath import TextPath

SVG = "{http://www.w3.org/2000/svg}"
Point = tuple[float, float]


@dataclass(frozen=True)
class Box:
    """A rectangle: of a text, of a drawn box or of a square of a grid."""

    left: float
    top: float
    right: float
    bottom: float
    role: str = ""
    text: str = ""
    order: int = 0

    @property
    def middle(self) -> Point:
        return (self.left + self.right) / 2, (self.top + self.bottom) / 2

    def holds(self, point: Point) -> bool:
        return self.left <= point[0] <= self.right and self.top <= point[1] <= self.bottom

    def overlaps(self, other: "Box") -> bool:
        return (
            self.left < other.right
            and other.left < self.right
            and self.top < other.bottom
            and other.top < self.bottom
        )


class Drawn:
    """What an SVG text contains, in the order in which it is drawn."""

    def __init__(self, svg: str) -> None:
        self.root = ElementTree.fromstring(svg)
        self.texts: list[Box] = []
        self.boxes: list[Box] = []
        self.squares: list[Box] = []
        self.lines: list[tuple[str, list[Point]]] = []
        self.sizes: list[float] = []
        self.order = 0
        self._walk(self.root, {"font-size": "16"})

    def _walk(self, element: ElementTree.Element, inherited: dict[str, str]) -> None:
        here = inherited | dict(element.attrib)
        for part in element:
            self.order += 1
            if part.tag == f"{SVG}g":
                self._walk(part, here)
            elif part.tag == f"{SVG}text":
                self._text(part, here | part.attrib)
            elif part.tag == f"{SVG}rect":
                x, y, w, h = (float(part.get(key)) for key in ("x", "y", "width", "height"))
                role = (here | part.attrib)["class"]
                self.boxes.append(Box(x, y, x + w, y + h, role, order=self.order))
            elif part.tag == f"{SVG}path":
                for found in re.findall(r"M([\d.]+),([\d.]+)h([\d.]+)v([\d.]+)h-", part.get("d")):
                    x, y, w, h = map(float, found)
                    box = Box(x, y, x + w, y + h, here["class"], order=self.order)
                    self.squares.append(box)
            elif part.tag == f"{SVG}polyline":
                points = [tuple(map(float, p.split(","))) for p in part.get("points").split()]
                self.lines.append((here["class"], points))

    def _text(self, element: ElementTree.Element, here: dict[str, str]) -> None:
        size = float(here["font-size"])
        bold = here.get("font-weight", "normal")
        width = wide(element.text or "", size, bold)
        self.sizes.append(size)
        for part in element:
            small = float(part.get("font-size", size))
            self.sizes.append(small)
            width += wide(part.text, small, bold)
        x, y = float(here["x"]), float(here["y"])
        left = x - width * {"start": 0, "middle": 0.5, "end": 1}[here.get("text-anchor", "start")]
        said = "".join(element.itertext())
        self.texts.append(
            Box(
                left, y - 0.74 * size, left + width, y + 0.2 * size, here["class"], said, self.order
            )
        )

    def under(self, text: Box) -> Box:
        """The box or square that was drawn last below a text."""
        below = [b for b in self.boxes + self.squares if b.holds(text.middle)]
        return max(below, key=lambda box: box.order)

    def said(self) -> list[str]:
        return [text.text for text in self.texts]


@lru_cache(maxsize=4096)
def wide(text: str, size: float, weight: str) -> float:
    """Its width in DejaVu Sans, which is wider than the fonts that most viewers use."""
    if not text.strip():
        return len(text) * size * 0.32
    path = TextPath((0, 0), text, size=size, prop=FontProperties("DejaVu Sans", weight=weight))
    return float(path.get_extents().width)


def luminance(color):
    """Relative luminance as WCAG defines it."""
    parts = [int(color[place : place + 2], 16) / 255 for place in (1, 3, 5)]
    linear = [p / 12.92 if p <= 0.04045 else ((p + 0.055) / 1.055) ** 2.4 for p in parts]
    return sum(w * p for w, p in zip((0.2126, 0.7152, 0.0722), linear, strict=True))


def contrast(one, other):
    """The contrast of two colors as WCAG defines it: 4.5 for texts, 3 for lines."""
    low, high = sorted((luminance(one), luminance(other)))
    return (high + 0.05) / (low + 0.05)
