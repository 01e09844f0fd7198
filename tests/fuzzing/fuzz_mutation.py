"""Cheap inputs for the fuzzer: valid ones with a few changes, as bytes, as JSON and as text."""

from __future__ import annotations

import copy
import json
import random
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from hypothesis import strategies as st

Rng = random.Random


@dataclass(frozen=True)
class Target:
    """What `feed` drives raises nothing but `documented`; it gets `share` of the inputs."""

    name: str
    inputs: st.SearchStrategy
    feed: Callable[[Any], object]
    documented: tuple[type[Exception], ...] = ()
    share: float = 1.0


def made_by(make: Callable[[Rng], Any]) -> st.SearchStrategy:
    """Inputs from a function of a random generator: far cheaper to draw than nested strategies."""
    return st.integers(0, 2**64 - 1).map(lambda seed: make(Rng(seed)))


def mostly(make: Callable[[Rng], Any], *others: st.SearchStrategy) -> st.SearchStrategy:
    """Nine of ten inputs from `make`, the rest from slower strategies that are not tied to it."""
    return st.one_of(*(made_by(make) for _ in range(9 * len(others))), *others)


DEEP = "a value nested far too deeply"  # stands for one until the text is complete
TEXTS = (
    "", "\0", "\ud800", "\udfff\ud800", "\u202e", "\x1b[2J", "a" * 5_000, "é" * 70, "-1", "1e999",
    "<script>alert(1)</script>", "{{ 1 }}", "=cmd|'/c calc'!A1", "../../etc/passwd", "%s%n", "\r\n",
)  # fmt: skip
ODD: tuple[Any, ...] = (
    None, True, False, 0, -1, 1, 2, 2**31, 2**63, -(2**64), 10**400, 0.5, -0.0, 1e308, 1e-320,
    float("nan"), float("inf"), -float("inf"), *TEXTS, DEEP, [], {}, [[]], [None] * 300, {"": {}},
)  # fmt: skip


def edited(rng: Rng, data: bytes, marks: tuple[bytes, ...] = ()) -> bytes:
    """Bytes set, cut out, doubled or cut off; numbers that follow one of `marks` changed."""
    found = bytearray(data)
    for _ in range(rng.choice((1, 1, 1, 2, 4))):
        at = rng.randrange(len(found) + 1)
        kind = rng.choice(("set", "bit", "cut", "double", "end", "number", "mark", "mark"))
        if kind == "set":
            piece = rng.randbytes(rng.randint(1, 8))
            found[at : at + len(piece)] = piece
        elif kind == "bit" and at < len(found):
            found[at] ^= 1 << rng.randrange(8)
        elif kind == "cut":
            del found[at : at + rng.choice((1, 2, 4, 9, 64))]
        elif kind == "double":
            found[at:at] = found[max(0, at - 64) : at]
        elif kind == "end" and rng.random() < 0.3:
            del found[at:]
        elif kind == "number":
            _set_number(rng, found, at & ~3)
        elif kind == "mark" and marks:
            mark = rng.choice(marks)
            places = found.count(mark)
            begin = -1
            for _ in range(rng.randint(1, places) if places else 0):
                begin = found.index(mark, begin + 1)
            if begin >= 0:
                _set_number(rng, found, begin + len(mark) + 2 * rng.randrange(22))
    return bytes(found)


def _set_number(rng: Rng, found: bytearray, at: int) -> None:
    """A length or an offset: what binary formats break at."""
    size = rng.choice((2, 4, 8))
    value = rng.choice((0, 1, 255, 0x7FFF, 2 ** (8 * size - 1), 2 ** (8 * size) - 1))
    value = value if rng.random() < 0.8 else rng.getrandbits(8 * size)
    found[at : at + size] = (value % 2 ** (8 * size)).to_bytes(size, "little")


def changed(rng: Rng, tree: Any) -> Any:
    """A copy of a JSON value with one to three of its parts changed."""
    whole = [copy.deepcopy(tree)]
    for _ in range(rng.randint(1, 3)):
        places = _places(whole)
        holder, key = rng.choice(places)
        value = holder[key]
        kind = rng.choice(("odd", "odd", "near", "near", "near", "cut", "double", "wrap", "other"))
        if kind == "odd":
            holder[key] = copy.deepcopy(rng.choice(ODD))
        elif kind == "near":
            holder[key] = _near(rng, value)
        elif kind == "cut" and holder is not whole:
            del holder[key]
        elif kind == "double" and isinstance(holder, list) and holder is not whole:
            holder[key:key] = [value] * rng.choice((1, 1, 2, 40))
        elif kind == "wrap":
            holder[key] = rng.choice(([value], {"k": "list", "v": [value]}, {"a": value}))
        else:
            other, name = rng.choice(places)
            holder[key] = json.loads(json.dumps(other[name]))
    return whole[0]


def _places(whole: list[Any]) -> list[tuple[Any, Any]]:
    """Every (container, key) below, 500 at most."""
    found: list[tuple[Any, Any]] = []
    waiting: list[Any] = [whole]
    while waiting and len(found) < 500:
        holder = waiting.pop()
        for key in list(holder) if isinstance(holder, dict) else range(len(holder)):
            found.append((holder, key))
            if isinstance(holder[key], (dict, list)):
                waiting.append(holder[key])
    return found


def _near(rng: Rng, value: Any) -> Any:
    """A value that is still of the same kind."""
    if isinstance(value, bool) or value is None:
        return not value
    if isinstance(value, int):
        return rng.choice((value + 1, value - 1, -value, value << 31, value % 3, 0.5))
    if isinstance(value, float):
        return rng.choice((-value, value * 1e9, value / 1e9, float("nan"), 0.1))
    if isinstance(value, str):
        return spliced(rng, value, TEXTS)
    if isinstance(value, list):
        return rng.sample(value, len(value)) if rng.random() < 0.5 else value[: len(value) // 2]
    return dict(rng.sample(sorted(value.items(), key=lambda item: item[0]), len(value) // 2))


def spliced(rng: Rng, text: str, pieces: tuple[str, ...]) -> str:
    """A text with lines or pieces of it changed."""
    for _ in range(rng.randint(1, 3)):
        at = rng.randrange(len(text) + 1)
        kind = rng.randrange(6)
        if kind == 0:
            text = text[:at] + rng.choice(pieces) + text[at:]
        elif kind == 1:
            text = text[:at] + text[at + rng.choice((1, 1, 2, 20)) :]
        else:
            lines = text.split("\n")
            line = rng.randrange(len(lines))
            if kind == 2:
                lines[line:line] = [rng.choice(pieces).rstrip("\n")]
            elif kind == 3:
                lines[line] = rng.choice(("", " ", "    ", "\t")) + lines[line].lstrip()
            elif kind == 4:
                lines[line : line + 1] = [lines[line]] * rng.choice((0, 2, 3))
            else:
                other = rng.randrange(len(lines))
                lines[line], lines[other] = lines[other], lines[line]
            text = "\n".join(lines)
    return text


def as_json(tree: Any) -> bytes:
    """JSON with what Python's json writes beyond the standard, and DEEP made deep."""
    text = json.dumps(tree).encode()
    place = json.dumps(DEEP).encode()
    return text.replace(place, b"[" * 3_000 + b"]" * 3_000) if place in text else text
