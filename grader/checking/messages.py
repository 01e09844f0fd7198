"""The message under a failed test: what it says, and how it shows values."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from ..seam import Handle

NOT_WRITTEN = "not written yet"


@dataclass(frozen=True)
class Message:
    """The four parts of a message, from the expectation to the page; empty parts are not shown."""

    expected: str = ""
    got: str = ""
    cause: str = ""
    read: str = ""
    # the answer shows the cause; otherwise `cause` is advice; the oldest grades do not say
    seen: bool | None = False

    def lines(self) -> list[tuple[str, str]]:
        labels = ("expected", "got", cause_label(self.seen), "read")
        texts = (self.expected, self.got, self.cause, self.read)
        return [(label, text) for label, text in zip(labels, texts, strict=True) if text]


class Failure(AssertionError):
    """A failed expectation: the parts of its message, in their order or by name."""

    def __init__(self, *parts: Any, **named: Any):
        self.message = Message(*parts, **named)
        super().__init__("\n".join(f"{label:13} {text}" for label, text in self.message.lines()))


def cause_label(seen: bool | None) -> str:
    """A cause is called likely only if the answer shows it."""
    return "likely cause" if seen else "advice"


def without_echoes(messages: Sequence[Message | None]) -> list[Message | None]:
    """The messages of one exercise's tests, without advice if any test found a likely cause.

    The other failures may well follow from that cause, and advice would mislead.
    """
    if not any(message and message.seen and message.cause for message in messages):
        return list(messages)
    return [replace(m, cause="") if m and not m.seen else m for m in messages]


def summary(
    heading: str, outcomes: list[tuple[str, Message | None]], what: str = "visible checks"
) -> list[str]:
    """The lines a student reads about one exercise. `outcomes`: (title, None) if a test passed."""
    if all(message and message.got == NOT_WRITTEN for _, message in outcomes):
        return [f"{heading}: {NOT_WRITTEN}"]
    passed = sum(message is None for _, message in outcomes)
    lines = [f"{heading}: {passed} of {len(outcomes)} {what} pass"]
    messages = without_echoes([message for _, message in outcomes])
    for (title, _), message in zip(outcomes, messages, strict=True):
        lines.append(f"  {'✗' if message else '✓'} {title}")
        lines += [f"      {label:13} {text}" for label, text in message.lines()] if message else []
    return lines


MAX_ITEMS = 8  # of a list or dict, and numbers of an array, before it is shortened
MAX_TEXT = 300


def show(value: Any, limit: int = MAX_ITEMS) -> str:
    """Numbers: small arrays whole, large ones by shape and first values."""
    array = numbers(value)
    if array.size <= limit:
        return np.array2string(array, precision=4, suppress_small=True).replace("\n", "")
    first = np.array2string(array.ravel()[:4], precision=4, suppress_small=True)
    return f"{first[:-1]} …] of shape {array.shape}"


def describe(value: Any) -> str:
    """Any value that crosses the seam, as text; never longer than `MAX_TEXT` characters."""
    text = _inside(value)
    if hasattr(value, "shape"):
        text = f"an array of shape {tuple(value.shape)}: {text}"
    elif isinstance(value, (tuple, list, dict)) and len(value) > MAX_ITEMS:
        text = f"{text} ({len(value)} in all)"
    return text if len(text) <= MAX_TEXT else f"{text[: MAX_TEXT - 1]}…"


def _inside(value: Any) -> str:
    """A value within a list or dict."""
    if isinstance(value, Handle):
        return f"an object of type {value.type_name}"
    if hasattr(value, "shape"):
        return show(value)
    if isinstance(value, float):
        return f"{value:.6g}"
    if isinstance(value, dict):
        pairs = [
            f"{_inside(key)}: {_inside(item)}" for key, item in list(value.items())[:MAX_ITEMS]
        ]
        return f"{{{_listed(pairs, len(value))}}}"
    if isinstance(value, (tuple, list)):
        items = _listed([_inside(item) for item in value[:MAX_ITEMS]], len(value))
        if isinstance(value, list):
            return f"[{items}]"
        return f"({items},)" if len(value) == 1 else f"({items})"
    return repr(value)


def _listed(texts: list[str], count: int) -> str:
    return ", ".join([*texts, "…"] if count > len(texts) else texts)


def numbers(value: Any) -> np.ndarray:
    """The float64 array of a tensor, array, list or number. Raises TypeError or ValueError."""
    torch = sys.modules.get("torch")
    if torch is not None and isinstance(value, torch.Tensor):
        value = value.detach().double().numpy()
    return np.asarray(value, dtype=np.float64)
