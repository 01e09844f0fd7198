"""What `course build` writes beside notebooks: the picture, figures, tables and map."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from grader.course.course import Course

from . import computed, figures, house_map, picture, study_plan, tables, walkthrough


def texts(course: Course) -> Iterator[tuple[Path, str]]:
    """Each document that is generated, or has generated parts, with its text. Raises BuildError."""
    yield course.root / "course.svg", picture.draw(course)
    results = course.root / "results"
    lectures = sorted((course.root / "lectures").glob("part*.md"))
    for path in (results / "README.md", *sorted(course.hidden.glob("*.md")), *lectures):
        text = path.read_text(encoding="utf-8")
        yield path, tables.filled(figures.filled(text, results), results)
    path = results / "table3.md"
    yield path, computed.filled(figures.filled(path.read_text(encoding="utf-8"), results))
    path = course.root / "README.md"
    yield path, study_plan.filled(path.read_text(encoding="utf-8"), course)
    path = course.root / "CONTRIBUTING.md"
    yield path, house_map.filled(path.read_text(encoding="utf-8"), course.root)
    yield course.root / walkthrough.BUILT, walkthrough.text(course)
