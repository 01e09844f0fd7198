"""The fuzzer's files: notebooks and archives."""

import functools
import io
import json
import tempfile
import zipfile
from pathlib import Path

import proofs
from fuzz_mutation import Rng, Target, as_json, changed, edited, mostly, spliced
from hypothesis import strategies as st
from world import packed

from grader.intake import archives, handed_in, plain_files
from grader.marking.figures import Notebook
from grader.notebook import large_outputs, notebook_file, written_answers
from grader.notebook.attachments import attachments
from grader.notebook.collect import collect, decided

COURSE = proofs.COURSE
A1 = COURSE.assignment("a1")
NAMES = [name for exercise in A1.exercises for name in exercise.names]

# --- notebooks -----------------------------------------------------------------------------------

PIECES = (
    "def softmax(x, axis=-1):\n    return x\n", "class SelfAttention:\n    pass\n", "y = [0]\n",
    "y.append(softmax)\n", "if y:\n    softmax = y\nelse:\n    import numpy\n", "%time x\n",
    "!ls\n", "%%bash\n",
    "for i in y:\n    y[i] = softmax\n", "x = y; z = x\n", "@y\n", "'''", "(", "\\\n",
    "global y\n", "nonlocal x\n", "\x0c\n", "\u2028", "\0", "\ud800", "\t", "    ", "lambda: " * 90,
    "-" * 300, "[" * 150, "1+" * 900 + "1\n", "elif x:\n    pass\n" * 300, "x" + ".a" * 700 + "\n",
    "from course_lib." + "a" * 300 + " import b\n", "from course_lib import (", "f'{x!r:{y}}'\n",
    "async def softmax():\n    await x\n", "return x\n", "del softmax\n",
    "match x:\n case 1: pass\n", "try:\n    import a\nexcept* E:\n    pass\n",
    "*a, b = softmax = y\n", "a: int = softmax\n",
    "raise NotImplementedError\n", "### 1.11.a x\n", "def f(x, x): pass\n", "type X = int\n",
)  # fmt: skip
SOURCE = st.lists(st.sampled_from(PIECES) | st.text(max_size=6), max_size=8).map("".join)
ANY_JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=6), inner),
    max_leaves=8,
)
GRADE_ID = st.dictionaries(st.just("grade_id"), ANY_JSON)
PICTURE = st.dictionaries(st.sampled_from(["image/png", "image/svg+xml", "text/plain"]), ANY_JSON)
OUTPUT = st.fixed_dictionaries(
    {}, optional={"output_type": st.sampled_from(["stream", "error"]) | ANY_JSON, "data": PICTURE}
)
CELL = st.fixed_dictionaries(
    {},
    optional={
        "cell_type": st.sampled_from(["code", "code", "markdown", "raw"]) | ANY_JSON,
        "source": SOURCE | st.lists(SOURCE, max_size=3) | ANY_JSON,
        "attachments": st.dictionaries(st.just("f.png"), PICTURE | ANY_JSON) | ANY_JSON,
        "outputs": st.lists(OUTPUT | ANY_JSON, max_size=3) | ANY_JSON,
        "metadata": ANY_JSON
        | st.fixed_dictionaries({"nbgrader": ANY_JSON | GRADE_ID}),
    },
)  # fmt: skip
DOCUMENT = st.fixed_dictionaries({"cells": st.lists(CELL | ANY_JSON, max_size=6)}) | ANY_JSON


@functools.lru_cache(maxsize=1)
def small_notebooks() -> list[bytes]:
    document = json.loads(proofs.notebook("a1", "solution"))
    cells = document["cells"]
    return [
        json.dumps({"cells": cells[start : start + 6]}).encode()
        for start in range(0, len(cells), 6)
    ]


def changed_notebook(rng: Rng) -> bytes:
    """A part of a right notebook with changes to its cells' sources, its JSON or its bytes."""
    document = json.loads(rng.choice(small_notebooks()))
    kind = rng.random()
    if kind < 0.7:
        for _ in range(rng.randint(1, 2)):
            cell = rng.choice(document["cells"])
            cell["source"] = spliced(rng, "".join(cell["source"]), PIECES)
    elif kind < 0.9:
        document = changed(rng, document)
    data = as_json(document)
    return data if kind < 0.9 else edited(rng, data)


NOTEBOOK = mostly(changed_notebook, DOCUMENT.map(json.dumps).map(str.encode), st.binary())


def feed_notebook(data: bytes) -> None:
    """All that the trusted side does with a notebook before a worker runs it."""
    cells = notebook_file.read(data)
    smaller = notebook_file.read(large_outputs.within(data, len(data) // 2))
    assert [cell.source for cell in smaller] == [cell.source for cell in cells]
    found = collect(cells, NAMES)
    decided(A1, found)
    texts = [*written_answers.written(A1, cells).values(), *attachments(A1, cells)["1.11.a"]]
    figures = Notebook(A1, cells, notebook_file.document(data)["cells"])
    for code in figures.code("1.11.a"):
        texts += [code.source, *(one.text for one in code.outputs)]
        assert all(figures.figure("1.11.a", one.picture) for one in code.outputs if one.picture)
    figures.figure("1.11.a", "attachment:f.png")
    texts += written_answers.notices(COURSE, A1, cells, found)
    "".join([*texts, *(s.source for s in found.statements)]).encode()


# --- archives ------------------------------------------------------------------------------------

RECORDS = (b"PK\1\2", b"PK\3\4", b"PK\5\6")  # an entry's description, an entry, the end


@functools.lru_cache(maxsize=1)
def small_archives() -> list[bytes]:
    methods = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED, zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA)
    files = {"a1/a1.ipynb": small_notebooks()[0], "a1/config.json": b"{}" * 40}
    return [packed(files, method) for method in methods]


@functools.lru_cache(maxsize=1)
def bomb() -> bytes:
    """A few KiB that unpack to more than is ever read."""
    larger = bytes(handed_in.MAX_TOTAL + 1)
    return packed({"a1.ipynb": bytes(notebook_file.MAX_BYTES), "config.json": larger})


ENTRY_NAMES = (
    "a1.ipynb", "../a1.ipynb", "/a1.ipynb", "a\\..\\a1.ipynb", ".x/a1.ipynb", "d/", "config.json",
    "é.csv", "a/" * 200 + "b.txt", "\u202egpj.ipynb", "CON", "x", "model.pkl", " ",
)  # fmt: skip


def changed_archive(rng: Rng) -> bytes:
    kind = rng.random()
    if kind < 0.001:
        return edited(rng, bomb(), RECORDS) if rng.random() < 0.5 else bomb()
    if kind < 0.8:
        return edited(rng, rng.choice(small_archives()), RECORDS)
    whole = io.BytesIO()
    with zipfile.ZipFile(whole, "w") as archive:
        for name in rng.sample(ENTRY_NAMES, rng.randint(0, 6)):
            entry = zipfile.ZipInfo(name)
            entry.external_attr = rng.choice((0, rng.getrandbits(32), 0o120777 << 16))
            archive.writestr(entry, rng.randbytes(rng.randrange(60)))
    return edited(rng, whole.getvalue(), RECORDS) if kind < 0.9 else whole.getvalue()


ARCHIVE = mostly(changed_archive, st.binary())


@functools.lru_cache(maxsize=1)
def folder() -> tempfile.TemporaryDirectory:
    return tempfile.TemporaryDirectory(prefix="fuzz-")


def feed_archive(data: bytes) -> None:
    path = Path(folder().name) / "a1.zip"
    path.write_bytes(data)
    entries = archives.entries(path)
    names = [entry.name for entry in entries]
    for name in names[:8]:
        archives.read(path, name)
    try:
        handed_in.inside(path, names, names[0] if names else "").read()
    except (handed_in.TooLarge, *archives.UNREADABLE):
        return


TARGETS = (
    Target("notebook", NOTEBOOK, feed_notebook, (notebook_file.InvalidNotebook,)),
    Target("archive", ARCHIVE, feed_archive, (plain_files.RefusedError,)),
)
