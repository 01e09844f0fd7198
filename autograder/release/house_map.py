"""The map in CONTRIBUTING.md: every package with its own first sentence, written by the build.

The document holds `<!-- map -->…<!-- /map -->`.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

from course_lib.course.syllabus import ROOT

from .components import BuildError

PLACE = re.compile(r"<!-- map -->.*?<!-- /map -->", re.DOTALL)
ASSIGNMENT = re.compile(r"a\d")  # a package an assignment: its parent's sentence says it


def filled(text: str) -> str:
    """The document with its map. Raises BuildError for a module that does not say what it is."""
    rows = ["| | |", "|---|---|", *map(_row, _rooms())]
    return PLACE.sub(lambda _: "<!-- map -->\n" + "\n".join(rows) + "\n<!-- /map -->", text)


def _rooms() -> Iterator[Path]:
    """The library's components and packages, then the autograder's packages."""
    library = ROOT / "course_lib"
    yield from sorted(path for path in library.glob("*.py") if path.stem != "__init__")
    for top in (library, ROOT / "autograder"):
        inits = top.rglob("*/__init__.py")
        yield from sorted(p for p in inits if not ASSIGNMENT.fullmatch(p.parent.name))


def _row(path: Path) -> str:
    documentation = ast.get_docstring(ast.parse(path.read_text(encoding="utf-8")))
    place = path.parent if path.stem == "__init__" else path
    name = place.relative_to(ROOT).as_posix() + ("/" if place.is_dir() else "")
    if not documentation:
        raise BuildError(f"{name} has no docstring: its first line is what the map says of it")
    return f"| `{name}` | {documentation.splitlines()[0]} |"
