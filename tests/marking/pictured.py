"""Notebooks with pictures and outputs beside the answer to 1.11.a, as a student hands them in."""

from __future__ import annotations

import base64
import json
import struct
import zlib

from marked_class import ITEM
from sample_results import COURSE

from grader.judge import grade
from grader.judge.suite_run import Submitted, SuiteRun
from grader.notebook import written_answers

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
    """What the judge makes of a notebook's written parts; nothing of it is run."""
    submitted = Submitted(A1, path.read_bytes(), only=["1.11"])
    read = grade._read(submitted)
    ran = SuiteRun([], {"tier": "A", "layers": {}}, "", None)
    found = grade._result(submitted, COURSE, read, ran, None, 0.0, {})
    facts = found.submission.model_copy(update={"file": str(path)})
    told = {"student": student, "submission": facts, "graded_at": "2027-02-09T08:00:00+00:00"}
    return found.model_copy(update=told)


def part(result):
    return next(part for part in result.parts if part.id == ITEM)
