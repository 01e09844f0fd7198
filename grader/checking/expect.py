"""Expectations that explain themselves: expected, got, advice, where to read.

    expect.close(
        student.scaled_scores(q, k), want,
        otherwise="multiply the queries with the transposed keys",
        read="§3.2.1, Eq. 1",
    )

Which named mistake a failure shows is found by asking the mistakes: see `causes`. `because` is one
that the test itself has established: "the state of the global generator has changed" can only mean
one thing. `otherwise` is advice, and is labeled as such.
"""

from collections.abc import Callable, Iterable
from typing import Any

import numpy as np

from ..seam import StudentError
from .messages import Failure
from .numeric import close, describe

__all__ = ["Failure", "close", "equal", "parts", "raises", "true", "unchanged"]


def equal(
    got: Any,
    want: Any,
    *,
    because: str = "",
    otherwise: str = "",
    read: str = "",
    what: str = "",
) -> None:
    """Plain data, equal and of the same type (a bool is not an int)."""
    if _same(got, want):
        return
    name = f"{what} = " if what else ""
    raise Failure(
        f"{name}{describe(want)}", describe(got), because or otherwise, read, bool(because)
    )


def parts(got: Any, count: int, *, otherwise: str = "", read: str = "") -> tuple[Any, ...]:
    """A tuple or list of `count` values, returned for unpacking."""
    if not isinstance(got, (tuple, list)) or len(got) != count:
        raise Failure(f"{count} values, returned together", describe(got), otherwise, read)
    return tuple(got)


def true(
    condition: bool,
    *,
    expected: str,
    got: str,
    because: str = "",
    otherwise: str = "",
    read: str = "",
) -> None:
    """A property that no other expectation covers."""
    if not bool(condition):
        raise Failure(expected, got, because or otherwise, read, bool(because))


def unchanged(changed: Iterable[str], *, read: str = "") -> None:
    """No array argument was modified in place: `expect.unchanged(student.call(…).changed)`."""
    names = [f"argument {n}" if str(n).isdigit() else str(n) for n in changed]
    if names:
        cause = "an in-place operation (`x -= …`) writes into the caller's array"
        raise Failure("unmodified arguments", f"{', '.join(names)} changed", cause, read, True)


def raises(
    call: Callable[[], Any],
    kind: str = "ValueError",
    *,
    mentions: Iterable[str] = (),
    otherwise: str = "",
    read: str = "",
) -> None:
    """The student's code raises `kind`, and its message contains every text in `mentions`."""
    try:
        value = call()
    except StudentError as error:
        _worker_trouble(error)
        if error.kind != kind:
            got = f"{error.kind}: {error.message}"
            raise Failure(f"a {kind}", got, otherwise, read) from None
        missing = [text for text in mentions if text not in error.message]
        if missing:
            expected = f"a {kind} whose message names {' and '.join(missing)}"
            raise Failure(expected, f"{kind}: {error.message}", otherwise, read) from None
        return
    raise Failure(f"a {kind}", f"no error, but {describe(value)}", otherwise, read)


def _worker_trouble(error: StudentError) -> None:
    """Raise a stub's, a timeout's or a crash's error again: it is never the expected one."""
    if error.kind.isupper():
        raise error


def _same(got: Any, want: Any) -> bool:
    same_type = type(got) is type(want) or (_is_number(got) and _is_number(want))
    return same_type and not isinstance(got, np.ndarray) and bool(got == want)


def _is_number(value: object) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool)
