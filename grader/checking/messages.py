"""The message under a failed test: expected, got, likely cause or advice, where to read."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

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
    mistake: str = ""  # the id of the named mistake that answers so

    def lines(self) -> list[tuple[str, str]]:
        labels = ("expected", "got", cause_label(self.seen), "read")
        texts = (self.expected, self.got, self.cause, self.read)
        return [(label, text) for label, text in zip(labels, texts, strict=True) if text]


class Failure(AssertionError):
    """A failed expectation: the parts of its message, in their order or by name."""

    def __init__(self, *parts: Any, value: Any = None, **named: Any):
        self.value = value  # what was got, to be compared with what a mistake gives
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
    said = None
    for (title, _), message in zip(outcomes, messages, strict=True):
        lines.append(f"  {'✗' if message else '✓'} {title}")
        if message and message != said:
            lines += [f"      {label:13} {text}" for label, text in message.lines()]
        said = message
    return lines
