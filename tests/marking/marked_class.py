"""A class with written answers, pictures and outputs in a store, and the page of a marker."""

import base64
import json
import os
import re
import struct
import subprocess
import sys
import zlib
from contextlib import contextmanager

from sample_results import sample
from starlette.testclient import TestClient
from world import A1, COURSE, with_parts
from world import handed_in as changed_hand_in

from grader.gradebook.result import Result
from grader.gradebook.store import Store
from grader.judge import grade
from grader.judge.suite_run import Submitted, SuiteRun
from grader.marking.desk import Desk
from grader.marking.entries import Marker
from grader.marking.guard import hosts
from grader.marking.server import guarded
from grader.notebook import answer_cells

ITEM = "1.11.a"
PLACE = "/token/a1/1.11.a"
ADDRESS = "http://127.0.0.1:8000"
FORM = {"origin": ADDRESS}
ACT = re.compile(r'name="act" value="([^"]+)"')
SEEN = re.compile(r'name="seen"(?: form="give")? value="([^"]+)"')


def answered(student: str, answer: str, **fields) -> Result:
    """A result of assignment 1 with this answer to 1.11.a, and none to the other questions."""

    def written(part):
        text = answer if part.id == ITEM else ""
        return {"answer": text, "words": len(text.split())}

    return with_parts(sample(student, "a1", **fields), written)


class Page:
    """What one marker's browser sees of a store."""

    def __init__(self, store: Store, name: str = "ben", **options):
        self.marker = Marker(name, **options)
        app = guarded(Desk(store, COURSE), self.marker, "token", hosts("127.0.0.1", 8000))
        self.client = TestClient(app, base_url=ADDRESS)
        self.text, self.address, self.status = "", "", 0

    def open(self, path=PLACE):
        return self._keep(self.client.get(path))

    def give(self, points, comment="", seen=None, **fields):
        """Send the form of the page that is open."""
        chosen = SEEN.findall(self.text) if seen is None else seen
        form = {"points": points, "comment": comment, "seen": chosen, **fields}
        return self.post(self.address, form)

    def undo(self):
        """Send the form that takes the last step back; "" if the page that is open has none."""
        return self.post("/token/undo", {"act": "".join(ACT.findall(self.text))})

    def post(self, path, form=None, headers=FORM):
        return self._keep(self.client.post(path, data=form or {}, headers=headers))

    def _keep(self, answer):
        self.text, self.status = answer.text, answer.status_code
        self.address = str(answer.url).removeprefix(ADDRESS)
        return self


@contextmanager
def served(out, *options):
    """`course mark` in a process of its own: the process, and the address that it prints."""
    command = [sys.executable, "-m", "grader.cli", "mark", out, "--no-browser", *options]
    environment = {**os.environ, "PYTHONUNBUFFERED": "1"}
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=environment) as process:
        try:
            yield process, process.stdout.readline().split()[0]
        finally:
            process.kill()


def points(store: Store) -> dict[str, float | None]:
    """The points that count for 1.11.a, by student."""
    marks = store.manual(COURSE).marks
    return {student: mark.points for (student, _, item), mark in marks.items() if item == ITEM}


# Notebooks with pictures and outputs beside the answer to 1.11.a, as a student hands them in.


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
    answer["source"] = "".join(answer["source"]).replace(answer_cells.WRITTEN, text)
    answer |= {"attachments": attached} if attached else {}
    cells[at : at + 1] = [*above, answer, *below]
    path.write_text(json.dumps(notebook), encoding="utf-8")
    return result_of(path, student)


def result_of(path, student="ada"):
    """What the judge makes of a notebook's written parts; nothing of it is run."""
    submitted = Submitted(A1, path.read_bytes(), only=["1.11"])
    read = grade._read(submitted, COURSE)
    ran = SuiteRun([], {"tier": "A", "layers": {}}, "", None)
    found = grade._result(submitted, COURSE, read, ran, None, 0.0, {})
    told = {"student": student, "graded_at": "2027-02-09T08:00:00+00:00"}
    return changed_hand_in(result=found.model_copy(update=told), file=str(path))


def part(result):
    return next(part for part in result.parts if part.id == ITEM)
