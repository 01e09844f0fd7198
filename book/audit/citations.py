"""Where the library cites the paper's sections, and the rows of the paper page."""

import ast
import io
import re
import tokenize
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from book import CHECKOUT

_ANCHOR = re.compile(r"#\s*(§.+)")
_SECTION = re.compile(r"§(\d+(?:\.\d+)*)")
_ROW = re.compile(r"\bR\d+\b")
Definitions = list[ast.FunctionDef | ast.ClassDef]


@dataclass(frozen=True)
class Anchor:
    """A comment of the library that names a section of the paper."""

    path: str
    line: int
    place: str  # the definition around it, as "module:name"; at a module's top, the module
    sections: tuple[str, ...]

    def is_in(self, places: tuple[str, ...]) -> bool:
        """Whether it is in one of the definitions; at a module's top, in one of their modules."""
        return _is_in(self.place, places)


@dataclass(frozen=True)
class Citation:
    """A row of the paper page that a comment or a module's first text names, such as R12."""

    path: str
    line: int
    place: str
    number: str

    def is_in(self, places: tuple[str, ...]) -> bool:
        return _is_in(self.place, places)


def _is_in(place: str, places: tuple[str, ...]) -> bool:
    return place in places or place in (one.partition(":")[0] for one in places)


@cache
def anchors() -> tuple[Anchor, ...]:
    """The anchors of the code, by file and line."""
    return tuple(anchor for path in _files() for anchor in _anchors(path))


@cache
def citations() -> tuple[Citation, ...]:
    """The rows that the code cites, by file and line."""
    return tuple(one for path in _files() for one in cited_in(*_read(path)))


def _files() -> list[Path]:
    packages = ("course_lib", "course_study")
    return sorted(path for name in packages for path in (CHECKOUT / name).rglob("*.py"))


def _read(path: Path) -> tuple[str, str]:
    """A file's name within the checkout, and its text."""
    return path.relative_to(CHECKOUT).as_posix(), path.read_text(encoding="utf-8")


def _anchors(path: Path) -> Iterator[Anchor]:
    shown, text = _read(path)
    definitions = _definitions(text)
    for line, written in enumerate(text.splitlines(), 1):
        if found := _ANCHOR.search(written):
            place = _place(shown, definitions, line)
            yield Anchor(shown, line, place, tuple(_SECTION.findall(found[1])))


def cited_in(shown: str, text: str) -> Iterator[Citation]:
    """The rows that a file's first text and its comments cite."""
    if not _ROW.search(text):
        return
    definitions = _definitions(text)
    first = (ast.get_docstring(ast.parse(text), clean=False) or "").splitlines()
    said = list(enumerate(first, 1))
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        if token.type == tokenize.COMMENT:
            said.append((token.start[0], token.string))
    for line, words in said:
        for number in _ROW.findall(words):
            yield Citation(shown, line, _place(shown, definitions, line), number)


def _definitions(text: str) -> Definitions:
    kinds = (ast.FunctionDef, ast.ClassDef)
    return [one for one in ast.parse(text).body if isinstance(one, kinds)]


def _place(shown: str, definitions: Definitions, line: int) -> str:
    module = shown.removesuffix(".py").replace("/", ".")
    around = [d.name for d in definitions if d.lineno <= line <= (d.end_lineno or 0)]
    return ":".join([module, *around])
