"""Why a test failed, in four parts: expected, got, likely cause or advice, where to read."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from ..seam import StudentError
from ..seam import errors as kinds
from . import raised
from .failure import Failure

NOT_WRITTEN = "not written yet"


@dataclass(frozen=True)
class Message:
    """What a student reads under a failed test; empty parts are not shown."""

    expected: str
    got: str
    cause: str = ""
    read: str = ""
    seen: bool = False  # the cause rests on evidence; otherwise it is advice

    def lines(self) -> list[tuple[str, str]]:
        pairs = [
            ("expected", self.expected),
            ("got", self.got),
            (cause_label(self.seen), self.cause),
            ("read", self.read),
        ]
        return [(label, text) for label, text in pairs if text]


def cause_label(seen: bool) -> str:
    """What a cause may be called."""
    return "likely cause" if seen else "advice"


def without_echoes(messages: Sequence[Message | None]) -> list[Message | None]:
    """The messages of one exercise's tests: where a cause is found, advice stays silent.

    What fails besides may well follow from that cause; advice would lead elsewhere.
    """
    if not any(message and message.seen and message.cause for message in messages):
        return list(messages)
    return [replace(m, cause="") if m and not m.seen else m for m in messages]


def explain(error: BaseException, names: list[str]) -> Message:
    """What to tell about an exception that ended a test of the exercise that defines `names`."""
    if isinstance(error, Failure):
        return Message(error.expected, error.got, error.cause, error.read, error.seen)
    if isinstance(error, StudentError):
        return _of_student(error, names)
    got = f"something else, on which the test stopped ({type(error).__name__}: {error})"
    return Message("a value of the form the docstring describes", got)


def _of_student(error: StudentError, names: list[str]) -> Message:
    named = " and ".join(f"`{name}`" for name in names)
    own = not error.message or any(f" {name} " in error.message for name in names)
    told = {
        kinds.NOT_WRITTEN: (
            Message(f"{named}, written by you", NOT_WRITTEN)
            if own
            else Message("a value", error.message, "it rests on an exercise that is not written")
        ),
        kinds.MISSING: Message(
            f"{named} in the notebook",
            f"no `{error.message}` there",
            "renamed, deleted, or in a cell that does not parse: keep the name of the handout",
        ),
        kinds.TIMEOUT: Message(
            "an answer within the time limit",
            error.message or "no answer in time",
            "a loop that never ends, or work that grows much faster than its input",
        ),
        kinds.OOM: Message(
            "an answer within the memory limit",
            error.message or "out of memory",
            "an array with one axis too many, or a list that grows without end",
        ),
        kinds.CRASHED: Message(
            "an answer",
            f"the process ended: {error.message}" if error.message else "it ended",
            "`exit`, a crash in compiled code, or recursion without end",
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
    if error.kind in told:
        return told[error.kind]
    at = f" ({error.where})" if error.where else ""
    return _raised("a value", f"{error.kind}: {error.message}{at}", error)


def _raised(expected: str, got: str, error: StudentError) -> Message:
    cause, seen = raised.diagnosis(error.kind, error.message)
    return Message(expected, got, cause, seen=seen)


def summary(heading: str, outcomes: list[tuple[str, Message | None]]) -> list[str]:
    """The lines a student reads about one exercise: (title, None) for each test that passes."""
    if all(message and message.got == NOT_WRITTEN for _, message in outcomes):
        return [f"{heading}: {NOT_WRITTEN}"]
    passed = sum(message is None for _, message in outcomes)
    lines = [f"{heading}: {passed} of {len(outcomes)} visible checks pass"]
    messages = without_echoes([message for _, message in outcomes])
    for (title, _), message in zip(outcomes, messages, strict=True):
        lines.append(f"  {'✗' if message else '✓'} {title}")
        lines += [f"      {label:13} {text}" for label, text in message.lines()] if message else []
    return lines
