"""Writes the map in CONTRIBUTING.md: every package with the first line of its docstring.

The document contains `<!-- map -->…<!-- /map -->`.
"""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

from grader.library.components import BuildError

PLACE = re.compile(r"<!-- map -->.*?<!-- /map -->", re.DOTALL)
ASSIGNMENT = re.compile(r"a\d")  # a package per assignment: its parent is in the map instead


def filled(text: str, root: Path) -> str:
    """The document with its map. Raises BuildError for a module without a docstring."""
    rows = ["| | |", "|---|---|", *(_row(path, root) for path in _modules(root))]
    return PLACE.sub(lambda _: "<!-- map -->\n" + "\n".join(rows) + "\n<!-- /map -->", text)


def _modules(root: Path) -> Iterator[Path]:
    """The library's components and packages, then every package."""
    library = root / "course_lib"
    yield from sorted(path for path in library.glob("*.py") if path.stem != "__init__")
    for top in ("course_lib", "course_study", "grader", "autograder", "book", "bench"):
        inits = (root / top).rglob("__init__.py")
        yield from sorted(p for p in inits if not ASSIGNMENT.fullmatch(p.parent.name))


def _row(path: Path, root: Path) -> str:
    documentation = ast.get_docstring(ast.parse(path.read_text(encoding="utf-8")))
    shown = path.parent if path.stem == "__init__" else path
    name = shown.relative_to(root).as_posix() + ("/" if shown.is_dir() else "")
    if not documentation:
        raise BuildError(f"{name} has no docstring: the map needs its first line")
    return f"| `{name}` | {documentation.splitlines()[0]} |"
