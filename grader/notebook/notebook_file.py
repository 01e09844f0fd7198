"""Parses the untrusted bytes of a submitted notebook into cells.

Uses only `json`: importing nbformat takes seconds, and its schema is stricter than grading needs.
"""

from __future__ import annotations

import hashlib
import json
import re
from dataclasses import dataclass
from typing import Any

from ..course.problem import Problem

MAX_BYTES = 32 * 2**20
MAX_CELLS = 2_000
MAX_SOURCE = 400_000  # characters in all cells, beside pictures
PASTED = re.compile(r"(data:image/[a-z]+;)base64,([A-Za-z0-9+/=]+)")  # in a text, as Colab does it


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
    if len(data) > MAX_BYTES:
        raise InvalidNotebook(
            f"the file has {len(data):,} bytes, more than {MAX_BYTES // 2**20} MiB: "
            "clear the outputs (Kernel, Restart & Clear Output) and submit again"
        )
    if not data.strip():
        raise InvalidNotebook("the file is empty: save the notebook and submit it again")
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise InvalidNotebook(
            f"the file is not UTF-8 text (byte {error.start}): submit the .ipynb that Jupyter saved"
        ) from None
    try:
        document = json.loads(text)
    except (ValueError, RecursionError, MemoryError) as error:
        raise InvalidNotebook(
            f"the file is not JSON ({str(error)[:120]}): submit the .ipynb that Jupyter saved"
        ) from None
    cells = document.get("cells") if isinstance(document, dict) else None
    if not isinstance(cells, list):
        raise InvalidNotebook("the file has no cells: open it in Jupyter, save it, submit it again")
    if len(cells) > MAX_CELLS:
        raise InvalidNotebook(f"the notebook has {len(cells)} cells, more than {MAX_CELLS}")
    found = [_cell(number, cell) for number, cell in enumerate(cells, start=1)]
    if sum(len(cell.source) for cell in found) > MAX_SOURCE:
        raise InvalidNotebook(f"the cells hold more than {MAX_SOURCE:,} characters of text")
    return found


def named(picture: re.Match[str]) -> str:
    """What stands for a pasted picture: its kind and hash, so that a text stays one to read."""
    return f"{picture[1]}sha256,{hashlib.sha256(picture[2].encode()).hexdigest()}"


def without_outputs(data: bytes) -> bytes:
    """The same notebook with empty outputs; the bytes as they are if it is no notebook."""
    try:
        document: Any = json.loads(data.decode("utf-8-sig"))
        for cell in document["cells"]:
            if cell["cell_type"] == "code":
                cell["outputs"], cell["execution_count"] = [], None
    except (ValueError, KeyError, TypeError, RecursionError):
        return data
    return json.dumps(document, ensure_ascii=False, indent=1).encode("utf-8", "replace") + b"\n"


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
