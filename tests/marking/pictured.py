"""Notebooks with pictures and outputs beside the answer to 1.11.a, as a student hands them in."""

from __future__ import annotations

import base64
import hashlib
import json
import struct
import zlib

from marked_class import ITEM
from sample_results import COURSE, sample

from grader.judge import score
from grader.notebook import notebook_file, written_answers
from grader.notebook.beside import beside

A1 = COURSE.assignment("a1")
SVG = "<svg xmlns='http://www.w3.org/2000/svg' width='40' height='30'>{}</svg>"


def png(width=40, height=30, shade=90):
    def chunk(kind, data):
        return (
            struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))
        )

    rows = zlib.compress((b"\0" + bytes([shade]) * width) * height)
    header = struct.pack(">IIBBBBB", width, height, 8, 0, 0, 0, 0)
    chunks = chunk(b"IHDR", header) + chunk(b"IDAT", rows) + chunk(b"IEND", b"")
    return b"\x89PNG\r\n\x1a\n" + chunks


def coded(data):
    return base64.b64encode(data).decode()


def pasted(data):
    """A picture in a text, as Colab writes it."""
    return f"![curve](data:image/png;base64,{coded(data)})"


def code(source, *outputs):
    return {"cell_type": "code", "source": source, "metadata": {}, "outputs": [*outputs]}


def drew(data, kind="image/png"):
    text = data if isinstance(data, str) else coded(data)
    return {"output_type": "display_data", "data": {kind: text, "text/plain": "<Figure>"}}


def printed(text, name="stdout"):
    return {"output_type": "stream", "name": name, "text": text.splitlines(keepends=True)}


def handed_in(path, text, *, above=(), below=(), attached=None, student="ada"):
    """The result of the starter with this answer and these cells around it, written to `path`."""
    notebook = json.loads(A1.starter.read_bytes())
    cells = notebook["cells"]
    at = next(n for n, cell in enumerate(cells) if "### 1.11.a" in "".join(cell["source"]))
    answer = cells[at]
    answer["source"] = "".join(answer["source"]).replace(written_answers.WRITTEN, text)
    answer |= {"attachments": attached} if attached else {}
    cells[at : at + 1] = [*above, answer, *below]
    path.write_text(json.dumps(notebook), encoding="utf-8")
    return result_of(path, student)


def result_of(path, student="ada"):
    """What the judge finds in a notebook's written parts; all else of the result is a sample."""
    data = path.read_bytes()
    read = notebook_file.read(data)
    answers = written_answers.written(A1, read)
    entries = score.exercises(A1, [], {}, [], answers, ["1.11"], beside=beside(A1, read))
    facts = {"file": str(path), "received": None, "sha256": hashlib.sha256(path.name.encode())}
    facts |= {"sha256": facts["sha256"].hexdigest()}
    found = sample(
        student, submission=facts | {"notebook_sha256": hashlib.sha256(data).hexdigest()}
    )
    parts = {entry.id: entry for entry in entries}
    exercises = [parts.get(entry.id, entry) for entry in found.exercises]
    return found.changed(A1, exercises=exercises)


def part(result):
    return next(part for part in result.parts if part.id == ITEM)
