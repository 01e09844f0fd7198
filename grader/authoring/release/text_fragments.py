"""Every text in a file: its lines, the strings inside it, files in zips, and code in prose.

A leak may be anywhere: in an output, in metadata, in an attribute, in a docstring, in the text of
an image, in an example of a README. So each file (a notebook, JSON, TOML, Python, a zip) is taken
apart as far as its kind allows, and each text keeps its place.
"""

import ast
import base64
import binascii
import html
import io
import json
import re
import textwrap
import zipfile
import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from ...course import toml

JSON = (".ipynb", ".json")
LONG = 30  # characters from which a string in Python code is looked at by itself
BASE64 = re.compile(r"[A-Za-z0-9+/\n]{200,}={0,2}")
# In prose: between two lines of ```, and below lines that are not indented.
BLOCKS = (
    re.compile(r"(?ms)^[ >]*```[^\n]*\n(.*?)^[ >]*```"),
    re.compile(r"(?m)((?:^(?: {4}|\t).*\n?|^[ \t]*\n)+)"),
)
TAG = re.compile(r"<[^<>]*>")  # code on a page has one around each word
QUOTE = re.compile(r"(?m)^ *> ?")


@dataclass(frozen=True)
class TextFragment:
    """One text of a file. `inside` says where in it, and `raw` is the whole file's text."""

    path: str
    text: str
    raw: str = ""
    inside: str = ""

    @cached_property
    def lines(self) -> list[str]:
        return self.text.splitlines()

    def place(self, number: int = 0) -> str:
        """The path and line of the fragment's line `number`, counted from 0."""
        within = f" ({self.inside})" if self.inside else ""
        if not self.raw:
            return f"{self.path}, line {number + 1}{within}"
        wanted = self.lines[number].strip() if self.lines else ""
        for form in (json.dumps(wanted, ensure_ascii=False)[1:-1], json.dumps(wanted)[1:-1]):
            if form and form in self.raw:
                line = self.raw[: self.raw.index(form)].count("\n") + 1
                return f"{self.path}, line {line}{within}"
        return f"{self.path}{within}"


def of_file(path: str, data: bytes) -> Iterator[TextFragment]:
    """The texts of one file; a zip's are those of the files in it."""
    if (unpacked := _unpacked(path, data)) is not None:
        for name, packed in unpacked.items():
            yield from of_file(name, packed)
        return
    raw = data.decode("utf-8", errors="replace")
    whole = True
    for inside, text in _strings(path, raw):
        yield from _unfolded(TextFragment(path, text, raw, inside))
        whole = not path.endswith(JSON)  # JSON is nothing but its strings
    if whole:
        yield from _unfolded(TextFragment(path, raw))
    if path.endswith(".html"):
        yield TextFragment(path, html.unescape(TAG.sub("", raw)), raw, "its text")


def unreadable(path: str, data: bytes) -> Iterator[str]:
    """The places, this file or files in it, whose bytes are no text: nobody can search them."""
    unpacked = _unpacked(path, data)
    for name, packed in (unpacked or {}).items():
        yield from unreadable(name, packed)
    if unpacked is None:
        try:
            if "\0" in data.decode("utf-8"):
                yield path
        except UnicodeDecodeError:
            yield path


def _unpacked(path: str, data: bytes) -> dict[str, bytes] | None:
    """The files in a zip by place, or None if it is none, is damaged or has a password."""
    if data[:4] != b"PK\x03\x04":
        return None
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            return {f"{path}!{name}": archive.read(name) for name in archive.namelist()}
    except (zipfile.BadZipFile, NotImplementedError, RuntimeError, zlib.error):
        return None


def _unfolded(fragment: TextFragment) -> Iterator[TextFragment]:
    """The fragment, the code in its prose, and what escapes or base64 in it stand for."""
    yield fragment
    yield from _code_in(fragment)
    plain = html.unescape(fragment.text).replace("\\n", "\n").replace('\\"', '"')
    if plain != fragment.text:
        unescaped = TextFragment(
            fragment.path, plain, fragment.raw or fragment.text, fragment.inside
        )
        yield unescaped
        yield from _code_in(unescaped)
    for found in BASE64.finditer(fragment.text):
        try:
            hidden = base64.b64decode(found[0])
        except (binascii.Error, ValueError):
            continue
        text = hidden.decode("latin-1")
        yield TextFragment(
            fragment.path, text, fragment.raw or fragment.text, f"{fragment.inside} base64".strip()
        )


def _code_in(fragment: TextFragment) -> Iterator[TextFragment]:
    """Blocks of code in a text that is none as a whole, so that they can be parsed as code."""
    if fragment.path.endswith(".py") and not fragment.inside:
        return
    for form in BLOCKS:
        for found in form.finditer(fragment.text):
            code = textwrap.dedent(QUOTE.sub("", found[1]))
            if code.strip() and code != fragment.text:
                yield TextFragment(
                    fragment.path, code, fragment.raw or fragment.text, fragment.inside
                )


def _strings(path: str, raw: str) -> Iterator[tuple[str, str]]:
    """The strings in a structured file, with their place in it."""
    try:
        if path.endswith(JSON):
            yield from _walk(json.loads(raw), "")
        elif path.endswith(".toml"):
            yield from _walk(toml.loads(raw), "")
        elif path.endswith(".py"):
            for node in ast.walk(ast.parse(raw)):
                text = node.value if isinstance(node, ast.Constant) else None
                if isinstance(text, str) and len(text) >= LONG:
                    yield f"a string at line {node.lineno}", text  # type: ignore[attr-defined]
    except (ValueError, SyntaxError):
        return  # it is searched as plain text


def _walk(value: Any, place: str) -> Iterator[tuple[str, str]]:
    if isinstance(value, str):
        yield place, value
    elif isinstance(value, dict):
        for key, inner in value.items():
            yield f"{place}: a key", key
            yield from _walk(inner, f"{place}.{key}".lstrip("."))
    elif isinstance(value, list):
        if value and all(isinstance(line, str) for line in value):
            yield place, "".join(line if line.endswith("\n") else f"{line}\n" for line in value)
        else:
            for number, inner in enumerate(value):
                yield from _walk(inner, f"{place}[{number}]")
