"""What the fuzzer feeds: readers of untrusted bytes, their inputs and their documented exceptions.

An input is made of pieces that mean something to its reader, or is a valid one with a few bytes
changed.
"""

from __future__ import annotations

import functools
import io
import json
import socket
import struct
import tempfile
import zipfile
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import proofs
from hypothesis import strategies as st

from autograder.grading import fingerprints
from autograder.intake import archives, handed_in, plain_files
from autograder.judge import grade
from autograder.judge.models import classification, model_part, translation
from autograder.judge.models.hidden_labels import HiddenLabels
from autograder.judge.models.measure import Unusable
from autograder.notebook import notebook_file, written_answers
from autograder.notebook.collect import collect
from autograder.sandbox.wire import Channel, ProtocolError, Timeout, WallClock
from course_lib.seam import Student, StudentError
from course_lib.seam.codec import Encoder
from course_lib.study.handed_in import BadFile, read_trials

COURSE = proofs.COURSE
A1 = COURSE.assignment("a1")
NAMES = [name for exercise in A1.exercises for name in exercise.names]


@dataclass(frozen=True)
class Target:
    """A reader; `feed` raises nothing but `documented`."""

    name: str
    inputs: st.SearchStrategy
    feed: Callable[[Any], object]
    documented: tuple[type[Exception], ...]


def changed(seeds: Callable[[], list[bytes]]) -> st.SearchStrategy[bytes]:
    """Valid inputs with bytes replaced, cut out, doubled or cut off at the end."""
    edit = st.tuples(
        st.floats(0, 1), st.sampled_from("set cut double end word".split()), st.binary(max_size=8)
    )

    def edited(chosen: tuple[int, list[tuple[float, str, bytes]]]) -> bytes:
        data = bytearray(seeds()[chosen[0] % len(seeds())])
        for where, kind, piece in chosen[1]:
            at = int(where * len(data))
            if kind == "set":
                data[at : at + len(piece)] = piece
            elif kind == "cut":
                del data[at : at + 1 + len(piece) ** 2]
            elif kind == "double":
                data[at:at] = data[max(0, at - 64) : at]
            elif kind == "end":
                del data[at:]
            else:  # a length or an offset: what binary formats break at
                data[at & ~3 : (at & ~3) + 4] = (piece + b"\xff\xff\xff\xff")[:4]
        return bytes(data)

    return st.tuples(st.integers(0, 9), st.lists(edit, max_size=4)).map(edited)


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
CELL = st.fixed_dictionaries(
    {},
    optional={
        "cell_type": st.sampled_from(["code", "code", "markdown", "raw"]) | ANY_JSON,
        "source": SOURCE | st.lists(SOURCE, max_size=3) | ANY_JSON,
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


NOTEBOOK = changed(small_notebooks) | DOCUMENT.map(json.dumps).map(str.encode) | st.binary()


@functools.lru_cache(maxsize=1)
def sources() -> fingerprints.Sources:
    return fingerprints.Sources()


def feed_notebook(data: bytes) -> None:
    """All that the trusted side does with a notebook before a worker runs it."""
    sources().digests(A1, data)
    cells = notebook_file.read(data)
    found = collect(cells, NAMES)
    grade.decided(A1, found)
    texts = [*written_answers.written(A1, cells).values()]
    texts += written_answers.notices(COURSE, A1, cells, found)
    "".join([*texts, *(s.source for s in found.statements)]).encode()


# --- archives ------------------------------------------------------------------------------------


@functools.lru_cache(maxsize=1)
def small_archives() -> list[bytes]:
    methods = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED, zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA)
    found = []
    for method in methods:
        whole = io.BytesIO()
        with zipfile.ZipFile(whole, "w", method) as archive:
            archive.writestr("a1/a1.ipynb", small_notebooks()[0])
            archive.writestr("a1/config.json", b"{}" * 40)
            archive.comment = b"comment"
        found.append(whole.getvalue())
    return found


ENTRY = st.tuples(
    st.sampled_from(
        ["a1.ipynb", "../a1.ipynb", "/a1.ipynb", "a\\..\\a1.ipynb", ".x/a1.ipynb", "d/"]
    )
    | st.text(max_size=12).filter(lambda name: name.isprintable()),
    st.binary(max_size=60),
    st.integers(0, 2**32 - 1),
)


def packed(entries: list[tuple[str, bytes, int]]) -> bytes:
    whole = io.BytesIO()
    with zipfile.ZipFile(whole, "w") as archive:
        for name, data, attributes in entries:
            entry = zipfile.ZipInfo(name or "x")
            entry.external_attr = attributes
            archive.writestr(entry, data)
    return whole.getvalue()


ARCHIVE = changed(small_archives) | st.lists(ENTRY).map(packed)


@functools.lru_cache(maxsize=1)
def folder() -> tempfile.TemporaryDirectory:
    return tempfile.TemporaryDirectory(prefix="fuzz-")


def feed_archive(data: bytes) -> None:
    path = Path(folder().name) / "a1.zip"
    path.write_bytes(data)
    entries, _ = archives.entries(path)
    names = [entry.filename for entry in entries]
    for name in names[:8]:
        archives.read(path, name)
    try:
        handed_in.inside(path, names).read()
    except (handed_in.TooLarge, *archives.UNREADABLE):
        return


# --- trained models ------------------------------------------------------------------------------

HIDDEN = HiddenLabels("mirror", ("a b", "c d", "e f"), (0, 1, 0), "f" * 64)
TEXTS = HiddenLabels("mirror", HIDDEN.sentences, ("ein a", "ein b", "ein c"), "f" * 64)
DTYPES = (
    "BOOL U8 I8 I16 U16 F16 BF16 I32 U32 F32 F64 I64 U64 F8_E5M2 F8_E4M3 F8_E8M0 F4 C64".split()
)
SIZE = st.integers(0, 4) | st.sampled_from([2**20, 2**31, 2**62, 2**64 - 1, -1])
TENSOR = st.fixed_dictionaries(
    {
        "dtype": st.sampled_from(DTYPES) | ANY_JSON,
        "shape": st.lists(SIZE, max_size=5) | ANY_JSON,
        "data_offsets": st.lists(SIZE, min_size=2, max_size=2) | ANY_JSON,
    }
)
HEADER = st.dictionaries(st.sampled_from(["a", "b", "__metadata__", ""]), TENSOR | ANY_JSON)


def with_length(parts: tuple[bytes, int, bytes]) -> bytes:
    header, off, body = parts
    return struct.pack("<Q", (len(header) + off) % 2**64) + header + body


@functools.lru_cache(maxsize=1)
def small_weights() -> list[bytes]:
    import torch
    from safetensors.torch import save

    kinds = (torch.float32, torch.float64, torch.bfloat16, torch.int64, torch.bool, torch.uint8)
    whole = save({str(kind): torch.ones(3, 2).to(kind) for kind in kinds})
    pickled = io.BytesIO()
    torch.save({"weight": torch.ones(3)}, pickled)
    return [whole, save({"a": torch.zeros(0, 3), "b": torch.ones(())}), pickled.getvalue()]


OFF = st.just(0) | st.sampled_from([-1, 1, 2**20, 2**40, -(2**63)])
WEIGHTS = changed(small_weights) | st.tuples(
    (HEADER.map(json.dumps).map(str.encode) | st.binary(max_size=40)), OFF, st.binary(max_size=64)
).map(with_length)


def feed_weights(data: bytes) -> None:
    model_part._shuffled(data, 0)


CSV = st.lists(
    st.sampled_from(
        ["row,prediction\n", "0,1\n", "1,0\n", "2,1\n", '"', "\r", "\n", ",", "9" * 400, "1e9",
         "\0",          "-1,", "nan", "\ufeff", "row", "a" * 200_000]
    ) | st.text(max_size=3),
    max_size=12,
).map("".join).map(lambda text: text.encode("utf-8", "surrogatepass"))  # fmt: skip
CONFIG = st.fixed_dictionaries(
    {}, optional={"data": ANY_JSON | st.just({"fingerprint": "f" * 64}), "measured": ANY_JSON}
)
FILES = st.fixed_dictionaries(
    {},
    optional={
        "predictions.csv": CSV | changed(lambda: [b"row,prediction\n0,0\n1,1\n2,0\n"]),
        "translations.txt": CSV | changed(lambda: [b"ein a\nein b\nein c\n"]),
        "config.json": CONFIG.map(json.dumps).map(str.encode)
        | st.binary()
        | st.just(b"[" * 99_999),
    },
)


def feed_files(files: dict[str, bytes]) -> None:
    """The files beside the weights."""
    classification.Classification().score([0, 1, 0], [2, 0, 1], files, HIDDEN)
    translation._handed_in(files, TEXTS)
    translation._measured(files)
    for data in files.values():
        try:
            read_trials(data)
        except BadFile:
            continue


# --- values and messages -------------------------------------------------------------------------


@functools.lru_cache(maxsize=1)
def messages() -> list[tuple[dict, bytes]]:
    import numpy as np
    import torch

    values = (
        np.arange(6.0).reshape(2, 3), torch.ones(2, 2, dtype=torch.bfloat16), [1, "a", None, 2.5],
        {"value": (np.zeros((0, 2)), True), "changed": []}, np.array([True]), torch.tensor(3),
    )  # fmt: skip
    found = []
    for value in values:
        encoder = Encoder(lambda thing: {"k": "handle", "n": 0, "type": "thing"})
        found.append(({"ok": encoder.encode(value)}, encoder.payload()))
    return found


def framed(message: tuple[dict, bytes]) -> bytes:
    tree, payload = message
    text = json.dumps(tree).encode()
    return struct.pack("!II", len(text), len(payload)) + text + payload


DTYPE_NAMES = "bool int8 int64 bfloat16 float32 uint16 object S9".split()
LENGTH = st.integers(0, 9) | st.sampled_from([2**20, 2**26, 2**31, 2**62, 10**400, -1])
ARRAY = st.fixed_dictionaries(
    {
        "k": st.sampled_from(["numpy", "torch"]),
        "dtype": st.sampled_from(DTYPE_NAMES) | ANY_JSON,
        "shape": st.lists(LENGTH, max_size=9) | ANY_JSON,
        "at": LENGTH | ANY_JSON,
    }
)  # fmt: skip
LEAF = ARRAY | st.fixed_dictionaries(
    {
        "k": st.sampled_from(["v", "v", "list", "handle", "dict", "?"]) | ANY_JSON,
        "v": ANY_JSON | st.integers(-(2**4000), 2**4000),
        "n": LENGTH,
    }
)
TREE = st.recursive(
    LEAF,
    lambda inner: (
        st.fixed_dictionaries(
            {"k": st.sampled_from(["list", "tuple"]), "v": st.lists(inner, max_size=5)}
        )
        | st.fixed_dictionaries(
            {"k": st.just("dict"), "v": st.lists(st.tuples(inner, inner).map(list), max_size=3)}
        )
    ),
    max_leaves=10,
)
ERROR = st.fixed_dictionaries(
    {},
    optional={
        "kind": st.sampled_from(["PASSED", "GRADED", "TIMEOUT", "ValueError", ""]) | ANY_JSON,
        "message": ANY_JSON,
        "where": ANY_JSON,
    },
)
ANSWER = (
    st.tuples(TREE.map(lambda tree: {"ok": tree}), st.binary(max_size=64))
    | st.tuples((ERROR | ANY_JSON).map(lambda error: {"error": error}), st.just(b""))
    | st.tuples(st.dictionaries(st.text(max_size=5), ANY_JSON), st.binary(max_size=8))
)
STREAM = (
    changed(lambda: [framed(message) for message in messages()])
    | ANSWER.map(framed)
    | st.tuples(st.integers(0, 2**32 - 1), st.integers(0, 2**32 - 1), st.binary()).map(
        lambda parts: struct.pack("!II", *parts[:2]) + parts[2]
    )
)


@dataclass
class _Answers:
    """A backend whose worker sends these bytes and ends."""

    data: bytes

    def request(self, request: Any, payload: bytes, deadline: float | None) -> tuple[dict, bytes]:
        ours, theirs = socket.socketpair()
        with ours, theirs:
            theirs.sendall(self.data)
            theirs.shutdown(socket.SHUT_WR)
            return Channel(ours).receive(WallClock(2.0))


def feed_stream(data: bytes) -> None:
    student = Student(_Answers(data))
    for ask in (student.names, lambda: student.call(student.softmax, 1.0)):
        try:
            value = ask()
        except StudentError as error:
            if error.kind in ("PASSED", "GRADED"):
                raise ValueError(f"the worker named its own verdict: {error.kind}") from None
            continue
        for measure in (classification.Classification(), translation.Translation()):
            try:
                measure.read(value, 2, "predict")
            except (Unusable, StudentError):
                continue


STREAM_ENDS = (EOFError, ProtocolError, Timeout, OSError)
TARGETS = {
    target.name: target
    for target in (
        Target("notebook", NOTEBOOK, feed_notebook, (notebook_file.InvalidNotebook,)),
        Target("archive", ARCHIVE, feed_archive, (plain_files.RefusedError,)),
        Target("weights", WEIGHTS, feed_weights, (Unusable,)),
        Target("files beside a model", FILES, feed_files, ()),
        Target("messages", STREAM, feed_stream, STREAM_ENDS),
    )
}  # fmt: skip
