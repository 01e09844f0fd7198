"""The message under a failed test: expected, got, likely cause or advice, where to read."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from ..seam import StudentError
from ..seam import errors as kinds
from . import raised
from .faults import SuiteError

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


def explain(error: BaseException, names: list[str]) -> Message:
    """The message for an exception that ended a test; `names` are those the exercise defines."""
    if isinstance(error, Failure):
        return error.message
    if isinstance(error, StudentError):
        return _of_student(error, names)
    if isinstance(error, SuiteError):
        return Message("a test that works", f"{error}; this is no mistake of yours")
    got = f"a value that the test could not handle ({type(error).__name__}: {error})"
    return Message("a value of the form the docstring describes", got)


def _of_student(error: StudentError, names: list[str]) -> Message:
    named = " and ".join(f"`{name}`" for name in names)
    own = not error.message or any(f" {name} " in error.message for name in names)
    by_kind = {
        kinds.NOT_WRITTEN: (
            Message(f"{named}, written by you", NOT_WRITTEN)
            if own
            else Message("a value", error.message, "it needs an exercise that is not written yet")
        ),
        kinds.MISSING: Message(
            f"{named} in the notebook",
            f"no `{error.message}`",
            "renamed, deleted, or in a cell with a syntax error: keep the name from the handout",
        ),
        kinds.TIMEOUT: Message(
            "an answer within the time limit",
            error.message or "no answer in time",
            "a loop that never ends, or work that grows much faster than its input",
        ),
        kinds.OOM: Message(
            "an answer within the memory limit",
            error.message or "out of memory",
            "an array with one axis too many, or a list that never stops growing",
        ),
        kinds.CRASHED: Message(
            "an answer",
            f"the process ended: {error.message}" if error.message else "the process ended",
            "a call to `exit`, a crash in compiled code, or infinite recursion",
        ),
        kinds.POLICY: Message(
            "your own code",
            f"`{error.message}`",
            "this exercise asks you to write it yourself",
            seen=True,
        ),
        kinds.LOAD_ERROR: _raised(f"{named}, loaded from the notebook", error.message, error),
        kinds.PROTOCOL: Message("plain numbers, text, lists, arrays or tensors", error.message),
    }
    if error.kind in by_kind:
        return by_kind[error.kind]
    at = f" ({error.where})" if error.where else ""
    return _raised("a value", f"{error.kind}: {error.message}{at}", error)


def _raised(expected: str, got: str, error: StudentError) -> Message:
    cause, seen = raised.diagnosis(error.kind, error.message)
    return Message(expected, got, cause, seen=seen)


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
