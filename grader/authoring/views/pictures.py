"""The PNG pictures of drawings that notebooks hold: made once, committed beside the SVG.

Their bytes depend on the versions of matplotlib and zlib, so a picture is not compared byte for
byte: it says of which SVG it was made, and is made again when that has changed.
"""

from pathlib import Path
from typing import Protocol

from grader.course.assignment import Assignment


class Drawing(Protocol):
    """A drawing from the course's plugin `drawing`; it can be hashed."""

    @property
    def name(self) -> str: ...

    @property
    def svg(self) -> str: ...

    @property
    def table(self) -> str:
        """A Markdown table of the same numbers, or ""."""
        ...

    def image(self, png: bytes) -> str:
        """An HTML image that holds the picture."""
        ...

    def picture(self) -> bytes:
        """The drawing as a PNG, for viewers that show no SVG."""
        ...

    def is_shown_by(self, picture: bytes) -> bool:
        """Whether a PNG was made from the drawing as it is now."""
        ...


_made: dict[tuple[str, str], bytes] = {}  # pictures, by name and SVG


def path_of(assignment: Assignment, drawing: Drawing) -> Path:
    """Where the picture of a drawing is committed."""
    return assignment.folder / "drawings" / f"{drawing.name}.png"


def is_current(assignment: Assignment, drawing: Drawing) -> bool:
    """Whether the committed picture was made from the drawing as it is now."""
    path = path_of(assignment, drawing)
    return path.is_file() and drawing.is_shown_by(path.read_bytes())


def of(assignment: Assignment, drawing: Drawing) -> bytes:
    """The committed picture, or a new one if it is missing or of an older drawing."""
    if is_current(assignment, drawing):
        return path_of(assignment, drawing).read_bytes()
    if (drawing.name, drawing.svg) not in _made:
        _made[drawing.name, drawing.svg] = drawing.picture()
    return _made[drawing.name, drawing.svg]
