"""Why a test failed, in four parts: expected, got, likely cause, where to read."""

from __future__ import annotations

from dataclasses import dataclass

from ..seam import StudentError
from ..seam import errors as kinds
from .expect import Failure

NOT_WRITTEN = "not written yet"


@dataclass(frozen=True)
class Message:
    """What a student reads under a failed test; empty parts are not shown."""

    expected: str
    got: str
    cause: str = ""
    read: str = ""
    seen: bool = False  # the answer equals what the cause would have produced

    def lines(self) -> list[tuple[str, str]]:
        pairs = [
            ("expected", self.expected),
            ("got", self.got),
            ("likely cause" if self.seen else "hint", self.cause),
            ("read", self.read),
        ]
        return [(label, text) for label, text in pairs if text]


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
            "your own code", f"`{error.message}`", "this exercise asks you to write it yourself"
        ),
        kinds.LOAD_ERROR: Message(
            f"{named}, loaded from the notebook", error.message, _known_cause(error)
        ),
        kinds.PROTOCOL: Message("plain numbers, text, lists, arrays or tensors", error.message),
    }
    if error.kind in told:
        return told[error.kind]
    at = f" ({error.where})" if error.where else ""
    return Message("a value", f"{error.kind}: {error.message}{at}", _known_cause(error))


def _known_cause(error: StudentError) -> str:
    """What to change, for the exceptions that say it themselves."""
    if error.kind == "TypeError" and "argument" in error.message:
        return "the name or the order of the parameters differs from the handout"
    if "CUDA" in error.message or "cuda" in error.message:
        return "it needs a GPU: follow the input's device (`x.device`) instead of naming one"
    if "EOFError" in (error.kind, *error.message.replace(":", " ").split()):
        return "nobody answers `input()` while grading: pass the value as an argument"
    return ""


def summary(heading: str, outcomes: list[tuple[str, Message | None]]) -> list[str]:
    """The lines a student reads about one exercise: (title, None) for each test that passes."""
    if all(message and message.got == NOT_WRITTEN for _, message in outcomes):
        return [f"{heading}: {NOT_WRITTEN}"]
    passed = sum(message is None for _, message in outcomes)
    lines = [f"{heading}: {passed} of {len(outcomes)} visible checks pass"]
    for title, message in outcomes:
        lines.append(f"  {'✗' if message else '✓'} {title}")
        lines += [f"      {label:13} {text}" for label, text in message.lines()] if message else []
    return lines
