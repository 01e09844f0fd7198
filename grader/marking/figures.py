"""Figures of a written answer: pictures in its text, and what code cells drew or printed beside it.

They are read from the notebook that was graded, if it still lies where it did, unchanged. A browser
gets the bytes of a picture at an address of their own, as nothing but a picture, so that an SVG
cannot act either. What is too large or no picture has none.
"""

import base64
import hashlib
import re
import struct
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any, NamedTuple

from ..course.assignment import Assignment
from ..course.visible import visible
from ..gradebook.result import Result
from ..intake import archives, plain_files
from ..notebook import notebook_file, written_answers
from ..notebook.answer_cells import ATTACHED, Answer
from ..notebook.attachments import code_of
from ..notebook.notebook_file import MAX_FILE, PASTED, Cell

SVG = "image/svg+xml"
KINDS = {  # how each begins
    "image/png": (b"\x89PNG\r\n\x1a\n",),
    "image/jpeg": (b"\xff\xd8\xff",),
    "image/gif": (b"GIF87a", b"GIF89a"),
    "image/webp": (b"RIFF",),
    SVG: (b"<?xml", b"<svg"),
}
MAX_PICTURE = 4 * 2**20  # bytes
MAX_PIXELS = 50_000_000  # of a PNG, whose bytes may be few
MAX_OUTPUTS = 20  # shown beside one answer
MAX_TEXT = 4_000  # characters shown of one output
DRAWN = "output:"
TEXT = "text/plain"
SEQUENCES = re.compile(r"\x1b\[[0-9;]*[A-Za-z]")  # colors of a terminal


class Output(NamedTuple):
    """The output of a code cell: the name of a picture, or text."""

    picture: str = ""
    text: str = ""


class Code(NamedTuple):
    """A code cell beside an answer, by its number in the notebook."""

    number: int
    source: str
    outputs: list[Output]


@dataclass(frozen=True)
class Notebook:
    """A graded notebook, as far as its figures are concerned. It may contain anything."""

    assignment: Assignment
    cells: list[Cell]
    raw: list[dict[str, Any]]

    def figure(self, item: str, name: str) -> tuple[str, bytes] | None:
        """The kind and bytes of a picture of an answer, by the name that its text or `code` has
        for it; None if there is none."""
        cells = self._cells(item)
        if name.startswith(ATTACHED):
            return _picture(self._attached(cells, name[len(ATTACHED) :]))
        if name.startswith(DRAWN):
            drawn = (one for code in self._code(cells) for one in self._outputs(code).items())
            return _picture(next((data for place, data in drawn if place == name), {}))
        texts = (_joined(self.raw[cell.number - 1].get("source")) for cell in cells)
        found = (one for text in texts for one in PASTED.finditer(text))
        pasted = next((one for one in found if notebook_file.named(one) == name), None)
        return _picture({pasted[1][len("data:") : -1]: pasted[2]}) if pasted else None

    def _attached(self, cells: Sequence[Cell], name: str) -> dict[str, Any]:
        """A picture that hangs on a cell; in the answer's text, "2.f.png" is one of the second."""
        for at, cell in enumerate(cells, start=1):
            own = name if at == 1 else name.removeprefix(f"{at}.")
            hanging = _dict(self.raw[cell.number - 1].get("attachments"))
            if own in hanging and (at == 1 or own != name):
                return _dict(hanging[own])
        return {}

    def code(self, item: str) -> list[Code]:
        """The code cells beside an answer that have something to show."""
        left, found = MAX_OUTPUTS, []
        for cell in self._code(self._cells(item)):
            outputs = [_output(*one) for one in self._outputs(cell).items()]
            kept = [one for one in outputs if one != Output()][:left]
            left -= len(kept)
            if kept:
                found.append(Code(cell.number, _shown(cell.source), kept))
        return found

    def _cells(self, item: str) -> Sequence[Cell]:
        return written_answers.found(self.assignment, self.cells).get(item, Answer()).cells

    def _code(self, answer: Sequence[Cell]) -> list[Cell]:
        return code_of(self.assignment, self.cells, answer)

    def _outputs(self, code: Cell) -> dict[str, dict[str, Any]]:
        """The outputs of a cell, each with a name: its data by kind."""
        raw = self.raw[code.number - 1].get("outputs")
        outputs = enumerate(raw if isinstance(raw, list) else ())
        return {f"{DRAWN}{code.number}.{place}": _data(_dict(one)) for place, one in outputs}


def notebook_of(result: Result, assignment: Assignment) -> Notebook | None:
    """The notebook that was graded; None if it is not there any more."""
    facts = result.submission
    try:
        return Notebook(assignment, *_read(facts.file, facts.notebook_sha256))
    except (RecursionError, notebook_file.InvalidNotebook, plain_files.RefusedError):
        return None
    except archives.UNREADABLE:
        return None


@lru_cache(maxsize=4)  # of the answer that a marker looks at, and of those open beside it
def _read(file: str, sha256: str) -> tuple[list[Cell], list[dict[str, Any]]]:
    """Raises ValueError, OSError, RefusedError, InvalidNotebook."""
    if Path(file).is_file():
        with plain_files.opened(Path(file)) as opened:
            data = opened.read(MAX_FILE + 1)
    else:
        path, _, entry = file.rpartition(".zip:")
        data, _ = archives.read(Path(f"{path}.zip"), entry)
    data = notebook_file.within_limits(data)
    if hashlib.sha256(data).hexdigest() != sha256:
        raise ValueError("the file has changed since it was graded")
    return notebook_file.read(data), notebook_file.document(data)["cells"]


def _data(output: dict[str, Any]) -> dict[str, Any]:
    """The contents of an output, by kind; warnings and bars of progress are left out."""
    if output.get("output_type") == "stream":
        return {TEXT: output.get("text")} if output.get("name") == "stdout" else {}
    if output.get("output_type") == "error":
        return {TEXT: f"{output.get('ename')}: {output.get('evalue')}"}
    return _dict(output.get("data"))


def _output(name: str, data: dict[str, Any]) -> Output:
    """A picture if there is one, else text; empty if there is neither."""
    if _picture(data):
        return Output(picture=name)
    if any(kind in data for kind in KINDS):
        return Output(text="(a picture that cannot be shown: it is damaged or too large)")
    return Output(text=_shown(_joined(data.get(TEXT))))


def _picture(data: dict[str, Any]) -> tuple[str, bytes] | None:
    """The first picture in an output or attachment, which may come in several kinds."""
    for kind, beginnings in KINDS.items():
        coded = _joined(data.get(kind))
        try:
            if kind == SVG and coded.lstrip().startswith("<"):  # in an output it is plain text
                found = coded.lstrip().encode()
            else:
                found = base64.b64decode("".join(coded.split()), validate=True)
        except ValueError:
            continue
        if found.startswith(beginnings) and len(found) <= MAX_PICTURE and _is_fit(kind, found):
            return kind, found
    return None


def _is_fit(kind: str, found: bytes) -> bool:
    """Whether a browser can draw it without harm to itself."""
    if kind == "image/png":
        width, height = struct.unpack(">II", found[16:24].ljust(8, b"\xff"))
        return bool(width * height <= MAX_PIXELS)
    return kind != SVG or b"<!ENTITY" not in found


def _shown(text: str) -> str:
    """As a terminal would show it, not more than `MAX_TEXT` characters."""
    lines = SEQUENCES.sub("", text[: 2 * MAX_TEXT]).replace("\r\n", "\n").split("\n")
    plain = visible("\n".join(line.rstrip("\r").rpartition("\r")[2] for line in lines)).rstrip()
    if len(plain) <= MAX_TEXT and len(text) <= 2 * MAX_TEXT:
        return plain
    return f"{plain[:MAX_TEXT]}\n… (the first of {len(text):,} characters)"


def _joined(value: Any) -> str:
    """A text, which notebooks also write as a list of lines."""
    lines = value if isinstance(value, list) else [value]
    return "".join(line for line in lines if isinstance(line, str))


def _dict(value: Any) -> dict[str, Any]:
    return value if isinstance(value, dict) else {}
