"""Figures that a student put into a written answer: pictures attached to its cell.

They are read from the notebook that was graded, if it still lies where it did, unchanged.
"""

from __future__ import annotations

import base64
import binascii
import hashlib
import json
from pathlib import Path
from typing import Any

from ...gradebook.result import Result
from ...intake import archives, plain_files
from ...notebook import nbgrader_cells
from ...notebook.notebook_file import MAX_BYTES

KINDS = {  # how each begins; an SVG could act, so it is no picture here
    "image/png": (b"\x89PNG\r\n",),
    "image/jpeg": (b"\xff\xd8\xff",),
    "image/gif": (b"GIF87a", b"GIF89a"),
    "image/webp": (b"RIFF",),
}


def figure(result: Result, item: str, name: str) -> tuple[str, bytes] | None:
    """The kind and bytes of an attached picture; None if there is none of this name."""
    try:
        cells = json.loads(_graded(result))["cells"]
        cell = next(cell for cell in cells if _grade_id(cell) == nbgrader_cells.written(item))
        attached = cell["attachments"][name]
        for kind, beginnings in KINDS.items():
            data = base64.b64decode(attached.get(kind, ""), validate=False)
            if data.startswith(beginnings):
                return kind, data
    except (ValueError, KeyError, TypeError, AttributeError, StopIteration, RecursionError):
        return None  # a stranger's file may have anything in these places
    except (plain_files.RefusedError, binascii.Error, *archives.UNREADABLE):
        return None
    return None


def _grade_id(cell: Any) -> Any:
    return cell["metadata"].get("nbgrader", {}).get("grade_id")


def _graded(result: Result) -> bytes:
    """The bytes of the notebook, if they are those that were graded. Raises ValueError, OSError."""
    facts = result.submission
    if Path(facts.file).is_file():
        with plain_files.opened(Path(facts.file)) as file:
            data = file.read(MAX_BYTES + 1)
    else:
        path, _, entry = facts.file.rpartition(".zip:")
        data = archives.read(Path(f"{path}.zip"), entry)
    if hashlib.sha256(data).hexdigest() != facts.notebook_sha256:
        raise ValueError("the file has changed since it was graded")
    return data
