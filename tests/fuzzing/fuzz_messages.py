"""The fuzzer's messages: what a worker may send in place of an answer."""

import contextlib
import functools
import json
import socket
import struct
import threading
from dataclasses import dataclass
from typing import Any

from fuzz_files import ANY_JSON
from fuzz_mutation import ODD, Rng, Target, as_json, changed, edited, mostly
from hypothesis import strategies as st

from autograder.scorers import accuracy, bleu
from grader.judge.models.scorer import Unusable
from grader.sandbox.wire import LENGTHS, Channel, ProtocolError, Timeout, WallClock
from grader.seam import Student, StudentError
from grader.seam.codec import Encoder
from grader.seam.errors import KINDS

Tree = dict[str, Any]


def encoded(value: Any) -> tuple[Tree, bytes]:
    """A value as a worker's answer has it; what is no plain data becomes a handle."""
    encoder = Encoder(lambda thing: {"k": "handle", "n": 0, "type": type(thing).__name__})
    return encoder.encode(value), encoder.payload()


@functools.lru_cache(maxsize=1)
def messages() -> list[tuple[str, bytes]]:
    import numpy as np
    import torch

    values = (
        np.arange(6.0).reshape(2, 3), torch.ones(2, 2, dtype=torch.bfloat16), [1, "a", None, 2.5],
        {"value": (np.zeros((0, 2)), True), "changed": []}, np.array([True]), torch.tensor(3),
        {"value": [0, 1], "changed": ["x"]}, {"value": ("ein a", "ein b"), "changed": []},
        {"value": torch.tensor([0, 1]), "changed": []}, {"value": object(), "changed": []},
    )  # fmt: skip
    answers = [(json.dumps({"ok": tree}), data) for tree, data in map(encoded, values)]
    error = {"error": {"kind": "ValueError", "message": "no", "where": "cell 3"}}
    return [*answers, (json.dumps(error), b"")]


def framed(text: bytes, payload: bytes) -> bytes:
    return LENGTHS.pack(len(text), len(payload)) + text + payload


KINDS_OF_VALUE = ("numpy", "torch", "v", "list", "tuple", "dict", "handle")
DTYPES = (
    "bool", "int8", "int64", "bfloat16", "float32", "float64", "float16", "uint16", "object", "S9"
)  # fmt: skip
LENGTHS_OF_AXES = (0, 1, 2, 3, 7, 2**20, 2**26, 2**31, 2**62, -1, 10**300, True, 2.0, None)


def any_value(rng: Rng, depth: int = 0) -> Any:
    """A tree such as the codec writes, with impossible sizes, types and numbers in it."""
    kind = rng.choice(KINDS_OF_VALUE if depth < 5 else KINDS_OF_VALUE[:3])
    if kind in ("numpy", "torch"):
        shape = [rng.choice(LENGTHS_OF_AXES) for _ in range(rng.choice((0, 1, 1, 2, 3, 9)))]
        at = rng.choice((0, 0, 0, 8, *LENGTHS_OF_AXES))
        return {"k": kind, "dtype": rng.choice(DTYPES), "shape": shape, "at": at}
    if kind in ("list", "tuple"):
        return {"k": kind, "v": [any_value(rng, depth + 1) for _ in range(rng.randrange(4))]}
    if kind == "dict":
        pairs = [[any_value(rng, 9), any_value(rng, depth + 1)] for _ in range(rng.randrange(3))]
        return {"k": kind, "v": pairs}
    if kind == "handle":
        return {"k": kind, "n": rng.choice(LENGTHS_OF_AXES), "type": rng.choice(ODD)}
    return {"k": kind, "v": rng.choice(ODD)}


def any_error(rng: Rng) -> Any:
    kind = rng.choice((*sorted(KINDS), "PASSED", "GRADED", "ValueError", "__import__", *ODD))
    error = {"kind": kind, "message": rng.choice(ODD), "where": rng.choice(ODD)}
    return rng.choice((error, error, error, rng.choice(ODD)))


def any_answer(rng: Rng, ok: Any, payload: bytes) -> tuple[Any, bytes]:
    """What a worker may answer in place of `ok`: the tree of the message and its payload."""
    kind = rng.random()
    if kind < 0.45:
        return {"ok": changed(rng, ok)}, payload
    if kind < 0.65:
        return {"ok": ok}, other_numbers(rng, payload)
    if kind < 0.75:
        return {"ok": any_value(rng)}, rng.randbytes(64)
    if kind < 0.85:
        called = encoded({"changed": []})[0]
        called["v"].append([{"k": "v", "v": "value"}, any_value(rng)])
        return {"ok": called}, rng.randbytes(64)
    if kind < 0.95:
        return {"error": any_error(rng)}, b""
    return rng.choice(({}, {"ok": None}, {"loaded": []}, {"ok": ok, "error": None}, [])), b""


def other_numbers(rng: Rng, payload: bytes) -> bytes:
    """Arrays of the same shapes with other numbers: infinite, not a number, huge, cut off."""
    words = (b"\0\0\xc0\x7f", b"\0\0\x80\x7f", b"\xff" * 4, b"\0" * 4, b"\0\0\0\0\0\0\xf8\x7f")
    if rng.random() < 0.5 or not payload:
        return (rng.choice(words) * (len(payload) // 4 + 1))[: len(payload)]
    return edited(rng, payload) if rng.random() < 0.5 else rng.randbytes(len(payload))


def changed_stream(rng: Rng) -> bytes:
    text, payload = rng.choice(messages())
    kind = rng.random()
    if kind < 0.75:
        answer, payload = any_answer(rng, json.loads(text).get("ok"), payload)
        return framed(as_json(answer), payload)
    if kind < 0.95:
        return edited(rng, framed(text.encode(), payload), (b"[", b": "))
    sizes = (0, 1, 2**23, 2**23 + 1, 2**26, 2**26 + 1, 2**32 - 1)
    return LENGTHS.pack(rng.choice(sizes), rng.choice(sizes)) + rng.randbytes(9)


STREAM = mostly(
    changed_stream,
    st.tuples(st.dictionaries(st.just("ok"), ANY_JSON), st.binary(max_size=8)).map(
        lambda parts: framed(json.dumps(parts[0]).encode(), parts[1])
    ),
    st.tuples(st.integers(0, 2**32 - 1), st.integers(0, 2**32 - 1), st.binary()).map(
        lambda parts: struct.pack("!II", *parts[:2]) + parts[2]
    ),
)


@dataclass
class _Answers:
    """A backend whose worker sends these bytes and ends."""

    data: bytes

    def request(self, request: Any, payload: bytes, deadline: float | None) -> tuple[dict, bytes]:
        ours, theirs = socket.socketpair()
        sender = threading.Thread(target=self._send, args=(theirs,))  # more than a buffer holds
        sender.start()
        try:
            with ours:
                return Channel(ours).receive(WallClock(2.0))
        finally:
            sender.join()

    def _send(self, theirs: socket.socket) -> None:
        with theirs, contextlib.suppress(BrokenPipeError, ConnectionResetError):
            theirs.sendall(self.data)


def feed_stream(data: bytes) -> None:
    student = Student(_Answers(data))
    for ask in (student.names, lambda: student.call(student.softmax, 1.0).value):
        try:
            value = ask()
        except StudentError as error:
            if error.kind in ("PASSED", "GRADED"):
                raise ValueError(f"the worker named its own verdict: {error.kind}") from None
            continue
        for measure in (accuracy.Accuracy(), bleu.Bleu()):
            try:
                measure.read(value, 2, "predict")
            except (Unusable, StudentError):
                continue


STREAM_ENDS = (EOFError, ProtocolError, Timeout, OSError)
TARGETS = (Target("messages", STREAM, feed_stream, STREAM_ENDS),)
