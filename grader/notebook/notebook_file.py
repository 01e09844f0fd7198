"""Parses the untrusted bytes of a submitted notebook into cells.

Uses only `json`: importing nbformat takes seconds, and its schema is stricter than grading needs.
"""

import hashlib
import json
import re
from dataclasses import dataclass
from typing import Any

from ..course.problem import Problem
from . import large_outputs, other_files

MAX_FILE = 256 * 2**20  # bytes of a file as it was handed in
MAX_BYTES = 32 * 2**20  # bytes of what is left of it without large outputs
MAX_CELLS = 2_000
MAX_SOURCE = 400_000  # characters in all cells, beside pictures
PASTED = re.compile(r"(data:image/[a-z]+;)base64,([A-Za-z0-9+/=]+)")  # in a text, as Colab does it


_UTF_8 = ("utf-8", "utf-8-sig")
_JSON = json.JSONDecoder(strict=False)  # a line may end within a text


class InvalidNotebook(Problem):
    """The file cannot be graded; the reason, in one sentence for the student."""


@dataclass(frozen=True)
class Cell:
    """One cell; `number` counts all cells from 1.

    In a text, `source` names each picture that was pasted into it, see `named`. `attached` is a
    hash of the pictures that hang on the cell, `printed` and `drew` tell of its outputs.
    """

    number: int
    kind: str
    source: str
    grade_id: str = ""
    attached: str = ""
    printed: bool = False
    drew: bool = False


def read(data: bytes) -> list[Cell]:
    """The cells of a notebook file. Raises InvalidNotebook."""
    found = document(data)
    if len(found["cells"]) > MAX_CELLS:
        raise InvalidNotebook(
            f"the notebook has {len(found['cells'])} cells, more than {MAX_CELLS}"
        )
    cells = [_cell(number, cell) for number, cell in enumerate(found["cells"], start=1)]
    if sum(len(cell.source) for cell in cells) > MAX_SOURCE:
        raise InvalidNotebook(f"the cells contain more than {MAX_SOURCE:,} characters of text")
    code = [cell.source for cell in cells if cell.kind == "code"]
    if language := other_files.other_language(found, code):
        raise InvalidNotebook(
            f"the notebook's kernel is {language}, and nothing in it is defined in Python: choose "
            "a Python kernel, and answer in Python"
        )
    return cells


def document(data: bytes) -> dict[str, Any]:
    """A notebook's JSON with a list of cells. Raises InvalidNotebook.

    What editors and copying do to a whole notebook is forgiven: UTF-16, a byte order mark, large
    outputs, something behind its end.
    """
    text = _decoded(within_limits(data)).strip(other_files.EMPTY.decode())
    try:
        found, end = _JSON.raw_decode(text)
    except (ValueError, RecursionError, MemoryError) as error:
        raise InvalidNotebook(f"the file {other_files.broken(text, error)}") from None
    if not isinstance(found, dict) or not isinstance(found.get("cells"), list):
        raise InvalidNotebook(f"the file {other_files.without_cells(found)}")
    if '"cell_type"' in text[end:]:
        line = text.count("\n", 0, end) + 1
        raise InvalidNotebook(
            f"the file contains another notebook after line {line}, where the first one ends: "
            "submit one notebook"
        )
    return found


def within_limits(data: bytes) -> bytes:
    """The notebook, its largest outputs emptied if it is too large. Raises InvalidNotebook."""
    if len(data) > MAX_FILE:
        raise InvalidNotebook(
            f"the file has {len(data):,} bytes, more than {MAX_FILE // 2**20} MiB: clear the "
            "outputs (Kernel, Restart & Clear Output) and submit it again"
        )
    if len(data) <= MAX_BYTES:
        return data
    if (encoding := json.detect_encoding(data)) not in _UTF_8:
        data = data.decode(encoding, "replace").encode("utf-8", "replace")
    data = large_outputs.within(data.strip(other_files.EMPTY), MAX_BYTES)
    if len(data) > MAX_BYTES:
        raise InvalidNotebook(
            f"the file has {len(data):,} bytes without its outputs, more than "
            f"{MAX_BYTES // 2**20} MiB: take large pictures and data out of its cells"
        )
    return data


def _decoded(data: bytes) -> str:
    """The text of a notebook's file. Raises InvalidNotebook."""
    if what := other_files.kind(data):
        raise InvalidNotebook(f"the file {what}")
    try:
        encoding = json.detect_encoding(data)
        return data.decode("utf-8-sig" if encoding in _UTF_8 else encoding)
    except UnicodeDecodeError as error:
        if error.end == len(data) and error.reason == "unexpected end of data":
            raise InvalidNotebook(f"the file {other_files.CUT_OFF}") from None
        raise InvalidNotebook(
            f"the file is not UTF-8 text (byte {error.start}): {other_files.SUBMIT}"
        ) from None


def named(picture: re.Match[str]) -> str:
    """A stand-in for a pasted picture: its kind and hash, so that a text stays one to read."""
    return f"{picture[1]}sha256,{hashlib.sha256(picture[2].encode()).hexdigest()}"


def _cell(number: int, cell: Any) -> Cell:
    if not isinstance(cell, dict):
        raise InvalidNotebook(f"cell {number} is not a cell: open the file in Jupyter and save it")
    source = cell.get("source", "")
    if isinstance(source, list) and all(isinstance(line, str) for line in source):
        source = "".join(source)
    if not isinstance(source, str):
        raise InvalidNotebook(f"the source of cell {number} is not text")
    metadata = cell.get("metadata")
    nbgrader = metadata.get("nbgrader") if isinstance(metadata, dict) else None
    grade_id = nbgrader.get("grade_id") if isinstance(nbgrader, dict) else None
    source = source.replace("\r\n", "\n").replace("\r", "\n")
    kind, outputs = _text(cell.get("cell_type")), cell.get("outputs")
    if kind != "code":
        source = PASTED.sub(named, source)
    shown = [one for one in outputs if isinstance(one, dict)] if isinstance(outputs, list) else []
    return Cell(
        *(number, kind, _text(source), _text(grade_id), _attached(cell.get("attachments"))),
        printed=bool(shown),
        drew=any(str(kind).startswith("image/") for one in shown for kind in _kinds(one)),
    )


def _kinds(output: dict[str, Any]) -> Any:
    return data if isinstance(data := output.get("data"), dict) else ()


def _attached(pictures: Any) -> str:
    if not pictures or not isinstance(pictures, dict):
        return ""
    return hashlib.sha256(json.dumps(pictures, sort_keys=True).encode()).hexdigest()


def _text(value: Any) -> str:
    """Text that every file can hold: JSON may escape half of a character, which becomes a `?`."""
    return value.encode("utf-8", "replace").decode() if isinstance(value, str) else ""
