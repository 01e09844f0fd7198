"""The PNG pictures of drawings that notebooks hold: made once, committed beside the SVG.

Their bytes depend on the versions of matplotlib and zlib, so a picture is not compared byte for
byte: it says of which SVG it was made, and is made again when that has changed.
"""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING

from grader.course.syllabus import ROOT, Assignment

if TYPE_CHECKING:
    from course_lib.drawings.drawing import Drawing

KEPT = 32  # pictures


def path_of(assignment: Assignment, drawing: Drawing) -> Path:
    """Where the picture of a drawing is committed."""
    return ROOT / "assignments" / assignment.id / "drawings" / f"{drawing.name}.png"


def is_current(assignment: Assignment, drawing: Drawing) -> bool:
    """Whether the committed picture was made from the drawing as it is now."""
    from course_lib.drawings.raster import is_of

    path = path_of(assignment, drawing)
    return path.is_file() and is_of(path.read_bytes(), drawing.svg)


def of(assignment: Assignment, drawing: Drawing) -> bytes:
    """The committed picture, or a new one if it is missing or of an older drawing."""
    if is_current(assignment, drawing):
        return path_of(assignment, drawing).read_bytes()
    return _made(drawing.svg)


@lru_cache(maxsize=KEPT)
def _made(svg: str) -> bytes:
    from course_lib.drawings.raster import png

    return png(svg)
