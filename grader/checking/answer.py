"""The answer of a namespace to a test: values by name, or what it raised.

Answers are plain data, so that a student's can be compared with those of the right form and of the
named mistakes, whoever computed them and wherever they were kept.
"""

import re
import traceback
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from ..seam import Handle, StudentError
from . import expect, numeric
from .exercise import ATOL, RTOL
from .messages import Failure
from .numeric import describe, numbers

Names = Mapping[str, Any]
NUMBERED = "value "  # names of the parts of a list


@dataclass(frozen=True)
class Answer:
    """Values by name, or `raised`, such as "ValueError: no keys"."""

    values: Names = field(default_factory=dict)
    raised: str = ""

    @classmethod
    def of(cls, value: Any) -> "Answer":
        """A test's value: a dict, a tuple or list, whose parts are numbered, or one value."""
        if isinstance(value, (tuple, list)):
            value = {f"{NUMBERED}{number}": one for number, one in enumerate(value, 1)}
        named = value if isinstance(value, dict) else {"": value}
        return cls({str(name): plain(one) for name, one in named.items()})

    @classmethod
    def raising(cls, error: Exception) -> "Answer":
        if isinstance(error, StudentError):
            return cls(raised=f"{error.kind}: {error.message}")
        return cls(raised=f"{type(error).__name__}: {error}")

    @property
    def is_vague(self) -> bool:
        """Whether many mistakes answer so: an exception, or NaN in place of numbers."""
        return bool(self.raised) or any(map(_has_nan, self.values.values()))

    def like(self, other: "Answer", atol: float = ATOL, rtol: float = RTOL) -> bool:
        """Whether two answers are the same, infinities and NaN included."""
        if self.raised or other.raised:
            return _without_places(self.raised) == _without_places(other.raised)
        return _alike(dict(self.values), dict(other.values), atol, rtol)


def tell_apart(
    got: Answer,
    right: Answer,
    advice: str,
    read: str,
    atol: float = ATOL,
    rtol: float = RTOL,
) -> None:
    """Raises Failure for the first value that differs from the right one."""
    if right.raised:
        kind = right.raised.partition(":")[0]
        if got.raised.partition(":")[0] != kind:
            found = got.raised or f"no error, but {describe(next(iter(got.values.values()), None))}"
            raise Failure(f"a {kind}", found, advice, read, value=found)
        return
    for name, want in right.values.items():
        if name not in got.values:
            raise Failure(f"a value for {name}", "none", advice, read)
        value = got.values[name]
        if isinstance(want, bool):
            _agrees(name, value, want, advice, read)
        elif _is_numeric(want):
            expect.close(
                value, want, atol=atol, rtol=rtol, what=name, otherwise=advice, read=read
            )  # fmt: skip
        elif not _alike(value, want, atol, rtol):
            what = f"{name} = " if name else ""
            found = describe(value)
            raise Failure(f"{what}{describe(want)}", found, advice, read, value=found)
    if more := [n for n in got.values if n.startswith(NUMBERED) and n not in right.values]:
        found = f"{more[0]} = {describe(got.values[more[0]])} besides"
        raise Failure(f"no more than {len(right.values)} values", found, advice, read)


def wrong_value(failure: Failure, file: Path) -> Answer:
    """The wrong value in a test that compares by itself: where it failed, and what it got."""
    frames = traceback.extract_tb(failure.__traceback__)
    lines = [frame.lineno for frame in frames if frame.filename == str(file)] or [0]
    if failure.value is not None:
        return Answer({"line": lines[0], "got": plain(failure.value)})
    message = failure.message
    return Answer({"line": lines[0], "expected": message.expected, "got": message.got})


def _agrees(name: str, value: Any, want: bool, advice: str, read: str) -> None:
    """A bool is the answer to whether its name is so."""
    if value is not want:
        found = "that is so" if value is True else "that is not so"
        found = found if isinstance(value, bool) else describe(value)
        raise Failure(name if want else f"not: {name}", found, advice, read)


def plain(value: Any) -> Any:
    """The value as None, bool, number, str, array of floats, or lists and dicts of such."""
    if isinstance(value, Handle):
        return f"an object of type {value.type_name}"
    if isinstance(value, np.generic):
        value = value.item()
    if value is None or isinstance(value, (bool, int, float, str)):
        return value
    if hasattr(value, "shape"):
        return numbers(value)
    if isinstance(value, dict):
        return {str(name): plain(one) for name, one in value.items()}
    if isinstance(value, (list, tuple)):
        return [plain(one) for one in value]
    return str(value)


def _is_numeric(value: Any) -> bool:
    if isinstance(value, list):
        return bool(value) and all(map(_is_numeric, value)) and _is_regular(value)
    return isinstance(value, (int, float, np.ndarray)) and not isinstance(value, bool)


def _has_nan(value: Any) -> bool:
    found = np.asarray(value) if _is_numeric(value) else np.zeros(0)
    return found.dtype.kind == "f" and bool(np.isnan(found).any())


def _is_regular(value: list[Any]) -> bool:
    try:
        numbers(value)
    except (TypeError, ValueError):
        return False
    return True


def _alike(one: Any, other: Any, atol: float, rtol: float) -> bool:
    if isinstance(one, dict) and isinstance(other, dict):
        return one.keys() == other.keys() and all(
            _alike(one[name], other[name], atol, rtol) for name in one
        )
    if _is_numeric(one) and _is_numeric(other):
        a, b = numbers(one), numbers(other)
        return a.shape == b.shape and numeric.distance(a, b, atol, rtol) <= 1
    if isinstance(one, list) and isinstance(other, list):
        return len(one) == len(other) and all(
            _alike(a, b, atol, rtol) for a, b in zip(one, other, strict=True)
        )
    return type(one) is type(other) and bool(one == other)


def _without_places(raised: str) -> str:
    """Without addresses of objects, which differ from run to run."""
    return re.sub(r"0x[0-9a-f]+", "0x…", raised)
