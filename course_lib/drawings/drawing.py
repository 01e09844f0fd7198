"""One drawing: its SVG, what it says in words, the data that it shows, and what is where."""

import base64
from dataclasses import dataclass
from html import escape
from typing import Any

from . import raster


@dataclass(frozen=True)
class Place:
    """A rectangle of a drawing that stands for a component: "course_lib.encoder:Encoder"."""

    x: float
    y: float
    width: float
    height: float
    label: str
    component: str


@dataclass(frozen=True)
class Drawing:
    """A self-contained drawing: the file refers to nothing outside.

    `alt` says in words what is drawn; `data` is what was computed for it; `table` is a Markdown
    table of the same numbers, where there is one. Of two `places`, the later one lies on top.
    """

    name: str
    title: str
    alt: str
    svg: str
    width: int
    data: Any
    table: str = ""
    places: tuple[Place, ...] = ()

    def image(self, png: bytes = b"") -> str:
        """An HTML image that holds its data: `png`, a picture of this, or else the SVG itself."""
        kind, content = ("png", png) if png else ("svg+xml", self.svg.encode())
        said = escape(f"{self.title}. {self.alt}", quote=True)
        source = f"data:image/{kind};base64,{base64.b64encode(content).decode()}"
        return f'<img src="{source}" width="{self.width}" alt="{said}">'

    def picture(self) -> bytes:
        """The drawing as a PNG, for viewers that show no SVG."""
        return raster.png(self.svg)

    def is_shown_by(self, picture: bytes) -> bool:
        """Whether a PNG was made from this drawing as it is now."""
        return raster.is_of(picture, self.svg)
