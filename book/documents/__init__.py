"""What `course build` writes of this course beside notebooks: its picture, figures, map."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from grader.course.course import Course

from . import figures, house_map, picture


def texts(course: Course) -> Iterator[tuple[Path, str]]:
    """Each document that is generated, or has generated parts, with its text. Raises BuildError."""
    yield course.root / "course.svg", picture.draw(course)
    for path in (course.root / "results" / "README.md", course.hidden / "README.md"):
        yield path, figures.filled(path.read_text(encoding="utf-8"), course.root / "results")
    path = course.root / "CONTRIBUTING.md"
    yield path, house_map.filled(path.read_text(encoding="utf-8"), course.root)
