"""The fuzzer's files: notebooks, archives, weights and what else is handed in."""

from __future__ import annotations

import functools
import io
import json
import pickle
import struct
import tempfile
import zipfile
from pathlib import Path

import proofs
from fuzz_mutation import DEEP, ODD, TEXTS, Rng, Target, as_json, changed, edited, mostly, spliced
from hypothesis import strategies as st
from world import packed

from autograder.scorers import accuracy, bleu
from course_lib.study.handed_in import BadFile, read_trials
from grader.authoring.proof import cases
from grader.intake import archives, handed_in, plain_files
from grader.judge.models import code_answers
from grader.judge.models.scorer import HiddenLabels, Unusable
from grader.marking.reading.figures import Notebook
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


# --- trained models ------------------------------------------------------------------------------

HIDDEN = HiddenLabels("mirror", ("a b", "c d", "e f"), (0, 1, 0), "f" * 64)
TEXTS_HIDDEN = HiddenLabels("mirror", HIDDEN.sentences, ("ein a", "ein b", "ein c"), "f" * 64)
DTYPES = (
    "BOOL U8 I8 I16 U16 F16 BF16 I32 U32 F32 F64 I64 U64 F8_E5M2 F8_E4M3 F8_E8M0 F4 C64".split()
)
unpickled: list[str] = []  # what a pickle of ours did; it must stay empty


def was_unpickled() -> None:
    unpickled.append("a pickle was loaded")


class Bomb:
    """Pickled, it calls `was_unpickled` when it is loaded."""

    def __reduce__(self):
        return was_unpickled, ()


def no_pickle_was_loaded() -> None:
    if unpickled:
        unpickled.clear()
        raise AssertionError("a pickle that was handed in has been loaded")


@functools.lru_cache(maxsize=1)
def pickles() -> list[bytes]:
    import torch

    found = [pickle.dumps(Bomb(), protocol) for protocol in (0, 2, 4)]
    for zipped in (True, False):
        whole = io.BytesIO()
        with_bomb = {"weight": torch.ones(3), "bomb": Bomb()}
        torch.save(with_bomb, whole, _use_new_zipfile_serialization=zipped)
        found.append(whole.getvalue())
    return found


@functools.lru_cache(maxsize=1)
def small_weights() -> list[bytes]:
    import torch
    from safetensors.torch import save

    kinds = (torch.float32, torch.float64, torch.bfloat16, torch.int64, torch.bool, torch.uint8)
    whole = save({str(kind): torch.ones(3, 2).to(kind) for kind in kinds})
    return [whole, save({"a": torch.zeros(0, 3), "b": torch.ones(())})]


def weights(header: bytes, body: bytes, off: int = 0) -> bytes:
    return struct.pack("<Q", (len(header) + off) % 2**64) + header + body


def huge_weights(rng: Rng) -> bytes:
    """As many tensors as a header of the largest size has, or a few more."""
    entry = {"dtype": "F32", "shape": [0], "data_offsets": [0, 0]}
    most = code_answers.MAX_HEADER // 60
    return weights(json.dumps({f"{i:06}": entry for i in range(most)}).encode(), b"")


def changed_weights(rng: Rng) -> bytes:
    kind = rng.random()
    if kind < 0.0005:
        return huge_weights(rng)
    if kind < 0.15:
        data = rng.choice(pickles())
        return data if rng.random() < 0.5 else edited(rng, data, (b"PK\1\2", b"PK\3\4"))
    data = rng.choice(small_weights())
    if kind < 0.4:
        return edited(rng, data, (b"[", b":"))
    end = 8 + int.from_bytes(data[:8], "little")
    header, body = json.loads(data[8:end]), data[end:]
    tensor = rng.choice(list(header.values()))
    if kind < 0.6:
        tensor["dtype"] = rng.choice(DTYPES)
    if kind < 0.7:
        size = rng.choice((0, 1, 3, 2**20, 2**31, 2**62, 2**64 - 1, 2**64, -1))
        tensor["shape"] = rng.choice(([size], [size, size], [0, size], [1] * 70, []))
    if kind > 0.65:
        header = changed(rng, header)
    off = rng.choice((-1, 1, 2**20, 2**40, -(2**63))) if rng.random() < 0.1 else 0
    return weights(as_json(header), body, off)


WEIGHTS = mostly(changed_weights, st.binary())


def feed_weights(data: bytes) -> None:
    try:
        code_answers._shuffled(data, 0)
    finally:
        no_pickle_was_loaded()


CELLS = (
    "0", "1", "-1", "2", "1e9", "9" * 400, "nan", "inf", "", '"', "\r", "\n", ",", "\0", "\ufeff",
    "a" * 140_000, "[]", "[" * 2000, "complete", "0x1", "١", "1_0", " 1", "\ud800", '{"step": 1}',
)  # fmt: skip


@functools.lru_cache(maxsize=1)
def small_tables() -> dict[str, bytes]:
    """The text files of right submissions."""
    config = {"data": {"fingerprint": "f" * 64, "source": "x"}, "measured": {"perplexity": 3.0}}
    trials = cases.handed_in(COURSE.assignment("a5"))["results.csv"]
    return {
        "predictions.csv": b"row,prediction\n0,0\n1,1\n2,0\n",
        "translations.txt": b"ein a\nein b\nein c\n",
        "config.json": json.dumps(config).encode(),
        "results.csv": b"\n".join(trials.split(b"\n")[:4]),
    }


def changed_table(rng: Rng, data: bytes) -> bytes:
    kind = rng.random()
    if kind < 0.3:
        return edited(rng, data)
    lines = data.decode().split("\n")
    for _ in range(rng.randint(1, 2)):
        at = rng.randrange(len(lines))
        cells = lines[at].split(",")
        cells[rng.randrange(len(cells))] = rng.choice(CELLS)
        lines[at] = ",".join(cells)
        if rng.random() < 0.2 and len(lines[at]) < 200:
            lines[at:at] = [lines[at]] * rng.choice((1, 1, 1, 1, 1, 2000))
    return "\n".join(lines).encode("utf-8", "surrogatepass")


def changed_config(rng: Rng, data: bytes) -> bytes:
    tree = changed(rng, json.loads(data))
    if rng.random() < 0.5 and isinstance(tree, dict):
        tree["measured"] = {rng.choice((*TEXTS, "loss")): rng.choice(ODD) for _ in range(9)}
    return as_json(tree)


def changed_files(rng: Rng) -> dict[str, bytes]:
    files = dict(small_tables())
    for name in rng.sample(sorted(files), rng.randint(1, 4)):
        if name == "config.json":
            files[name] = changed_config(rng, files[name])
        else:
            files[name] = changed_table(rng, files[name])
        if rng.random() < 0.1:
            del files[name]
        elif rng.random() < 0.1:
            files[name] = rng.choice((b"[" * 99_999, rng.randbytes(99), as_json(DEEP)))
    return files


FILES = mostly(
    changed_files, st.dictionaries(st.sampled_from(["predictions.csv", "config.json"]), st.binary())
)


def feed_files(files: dict[str, bytes]) -> None:
    """The files beside the weights."""
    accuracy.Accuracy().score([0, 1, 0], [2, 0, 1], files, HIDDEN)
    bleu._handed_in(files, TEXTS_HIDDEN)
    bleu._measured(files)
    for data in files.values():
        try:
            read_trials(data)
        except BadFile:
            continue


TARGETS = (
    Target("notebook", NOTEBOOK, feed_notebook, (notebook_file.InvalidNotebook,)),
    Target("archive", ARCHIVE, feed_archive, (plain_files.RefusedError,)),
    Target("weights", WEIGHTS, feed_weights, (Unusable,)),
    Target("files beside a model", FILES, feed_files),
)
