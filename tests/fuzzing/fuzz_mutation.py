"""Cheap inputs for the fuzzer: valid ones with a few changes, as bytes, as JSON and as text."""

import copy
import json
import random
import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from hypothesis import strategies as st

Rng = random.Random


@dataclass(frozen=True)
class Target:
    """What `feed` drives raises nothing but `documented`."""

    name: str
    inputs: st.SearchStrategy
    feed: Callable[[Any], object]
    documented: tuple[type[Exception], ...] = ()


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
# Lengths and offsets: what binary formats break at.
NUMBERS = tuple(
    (value % 2 ** (8 * size)).to_bytes(size, "little")
    for size in (2, 4, 8)
    for value in (0, 1, 255, 0x7FFF, 2 ** (8 * size - 1), -1)
)


def edited(rng: Rng, data: bytes, marks: tuple[bytes, ...] = ()) -> bytes:
    """Bytes set, cut out or doubled; numbers set, many of them soon after one of `marks`."""
    found, marked = bytearray(data), re.compile(b"|".join(map(re.escape, marks)))
    for _ in range(rng.choice((1, 1, 1, 2, 4))):
        places = [one.end() for one in marked.finditer(found)] if marks else []
        if places and rng.random() < 0.5:
            at, number = rng.choice(places) + 2 * rng.randrange(22), rng.choice(NUMBERS)
            found[at : at + len(number)] = number
            continue
        at, size = rng.randrange(len(found) + 1), rng.choice((1, 1, 2, 4, 9, 64))
        part, number = found[at : at + size], rng.choice(NUMBERS)
        flipped = bytes(byte ^ 1 << rng.randrange(8) for byte in part[:1])
        old, new = rng.choice(
            (
                (part, b""),
                (part, part * 2),
                (part, rng.randbytes(min(8, len(part)))),
                (flipped, flipped),
                (number, number),
            )
        )
        found[at : at + len(old)] = new
    return bytes(found)


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
    """A text with one to three of its lines changed, doubled, exchanged, or with pieces in them."""
    lines = text.split("\n")
    for _ in range(rng.randint(1, 3)):
        at, piece = rng.randrange(len(lines)), rng.choice(pieces)
        line = lines[at]
        column = rng.randrange(len(line) + 1)
        lines[at : at + 1] = rng.choice(
            (
                [line[:column] + piece + line[column:]],
                [line[:column] + line[column + rng.choice((1, 1, 2, 20)) :]],
                [line, piece.rstrip("\n")],
                [rng.choice(("", " ", "    ", "\t")) + line.lstrip()],
                [line] * rng.choice((0, 2, 3)),
                [rng.choice(lines), line],
            )
        ) or [""]
    return "\n".join(lines)


def as_json(tree: Any) -> bytes:
    """JSON with what Python's json writes beyond the standard, and DEEP made deep."""
    text = json.dumps(tree).encode()
    place = json.dumps(DEEP).encode()
    return text.replace(place, b"[" * 3_000 + b"]" * 3_000) if place in text else text
