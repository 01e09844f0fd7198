"""Expectations that explain themselves: expected, got, likely cause, where to read.

    expect.close(
        student.scaled_scores(q, k), want,
        causes={"the scores are not divided by √d_k": q @ k.T},
        otherwise="multiply the queries with the transposed keys",
        read="§3.2.1, Eq. 1",
    )

`causes` maps a likely mistake to what that mistake would have produced: the cause that is named is
the one whose value the student's answer really equals, so a hint rests on evidence. `otherwise` is
said when none of them fits.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Mapping
from typing import Any

import numpy as np

from ..seam import Handle, StudentError


class Failure(AssertionError):
    """A failed expectation, in the four parts that a report shows."""

    def __init__(
        self, expected: str, got: str, cause: str = "", read: str = "", seen: bool = False
    ):
        self.expected, self.got, self.cause, self.read = expected, got, cause, read
        self.seen = seen  # the cause was found by its value
        lines = [f"expected  {expected}", f"got       {got}"]
        lines += [f"likely    {cause}"] if cause else []
        lines += [f"read      {read}"] if read else []
        super().__init__("\n".join(lines))


def close(
    got: Any,
    want: Any,
    *,
    atol: float = 1e-6,
    rtol: float = 1e-5,
    causes: Mapping[str, Any] | None = None,
    otherwise: str = "",
    read: str = "",
    what: str = "",
) -> None:
    """`got` is an array (tensor, number) of the shape of `want` and within tolerance everywhere.

    NaN equals nothing. `what` names the value in the message ("row 2 of the weights").
    """
    name = f"{what} = " if what else ""
    actual, wanted = _array(got, what, read), _numbers(want)
    same_shape = actual.shape == wanted.shape
    lost = bool(np.isnan(actual).any()) and not np.isnan(wanted).any()
    if same_shape and not lost and np.allclose(actual, wanted, atol=atol, rtol=rtol):
        return
    seen = _cause(actual, causes, atol, rtol)
    if not same_shape:
        expected, told = f"{name}shape {wanted.shape}", f"shape {actual.shape}"
    elif lost:
        expected, told = name + show(wanted), f"NaN in {show(actual)}"
        otherwise = otherwise or "0/0 or ∞ − ∞ somewhere"
    else:
        difference = np.abs(actual - wanted)
        worst = tuple(int(i) for i in np.unravel_index(int(np.argmax(difference)), wanted.shape))
        at = f" (largest difference {difference.max():.3g} at {list(worst)})" if worst else ""
        expected, told = name + show(wanted), show(actual) + at
    raise Failure(expected, told, seen or otherwise, read, bool(seen))


def equal(got: Any, want: Any, *, otherwise: str = "", read: str = "", what: str = "") -> None:
    """Plain data, equal and of the same type (a bool is no int)."""
    same_type = type(got) is type(want) or (_is_number(got) and _is_number(want))
    if not same_type or isinstance(got, np.ndarray) or got != want:
        name = f"{what} = " if what else ""
        raise Failure(f"{name}{want!r}", _describe(got), otherwise, read)


def shape(
    got: Any, want: tuple[int, ...], *, otherwise: str = "", read: str = "", what: str = ""
) -> None:
    actual = _array(got, what, read).shape
    if actual != tuple(want):
        name = f"{what} of " if what else ""
        raise Failure(f"{name}shape {tuple(want)}", f"shape {actual}", otherwise, read)


def dtype(got: Any, want: str, *, otherwise: str = "", read: str = "", what: str = "") -> None:
    """`want` is the dtype's short name, "float32" or "bfloat16"."""
    _array(got, what, read)
    actual = str(getattr(got, "dtype", type(got).__name__)).removeprefix("torch.")
    if actual != want:
        raise Failure(f"{what or 'a result'} of dtype {want}", actual, otherwise, read)


def parts(got: Any, count: int, *, otherwise: str = "", read: str = "") -> tuple[Any, ...]:
    """A tuple or list of `count` values, returned for unpacking."""
    if not isinstance(got, (tuple, list)) or len(got) != count:
        raise Failure(f"{count} values, returned together", _describe(got), otherwise, read)
    return tuple(got)


def true(condition: bool, *, expected: str, got: str, otherwise: str = "", read: str = "") -> None:
    """A property that no other expectation says better."""
    if not bool(condition):
        raise Failure(expected, got, otherwise, read)


def unchanged(changed: Iterable[str], *, otherwise: str = "", read: str = "") -> None:
    """No array argument was written into: `expect.unchanged(student.call(…).changed)`."""
    names = [f"argument {n}" if str(n).isdigit() else str(n) for n in changed]
    if names:
        hint = otherwise or "an in-place operation (`x -= …`) writes into the caller's array"
        raise Failure("arguments left as they were", f"{', '.join(names)} changed", hint, read)


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
            wanted = f"a {kind} whose message names {' and '.join(missing)}"
            raise Failure(wanted, f"{kind}: {error.message}", otherwise, read) from None
        return
    raise Failure(f"a {kind}", f"no error, but {_describe(value)}", otherwise, read)


def show(value: Any, limit: int = 8) -> str:
    """A short, readable form: small arrays whole, large ones by shape and first values."""
    array = _numbers(value)
    if array.size <= limit:
        return np.array2string(array, precision=4, suppress_small=True).replace("\n", "")
    first = np.array2string(array.ravel()[:4], precision=4, suppress_small=True)
    return f"{first[:-1]} …] of shape {array.shape}"


def _worker_trouble(error: StudentError) -> None:
    """A stub, a hang or a crash is never "the right error"."""
    if error.kind.isupper():
        raise error


def _cause(actual: np.ndarray, causes: Mapping[str, Any] | None, atol: float, rtol: float) -> str:
    for name, value in (causes or {}).items():
        guess = _numbers(value)
        if guess.shape == actual.shape and np.allclose(
            actual, guess, atol=10 * atol, rtol=10 * rtol, equal_nan=True
        ):
            return name
    return ""


def _numbers(value: Any) -> np.ndarray:
    torch = sys.modules.get("torch")
    if torch is not None and isinstance(value, torch.Tensor):
        value = value.detach().double().numpy()
    return np.asarray(value, dtype=np.float64)


def _array(value: Any, what: str, read: str) -> np.ndarray:
    torch = sys.modules.get("torch")
    plain = isinstance(value, (bool, int, float, np.ndarray, list)) or (
        torch is not None and isinstance(value, torch.Tensor)
    )
    if plain:
        try:
            return _numbers(value)
        except (TypeError, ValueError):
            pass
    wanted = f"an array{f' ({what})' if what else ''}"
    cause = "the function has no `return`" if value is None else ""
    raise Failure(wanted, _describe(value), cause, read)


def _describe(value: Any) -> str:
    if value is None:
        return "None"
    if isinstance(value, Handle):
        return f"an object of type {value.type_name}"
    if hasattr(value, "shape"):
        return f"an array of shape {tuple(value.shape)}: {show(value)}"
    if isinstance(value, (tuple, list)):
        kinds = ", ".join(type(v).__name__ for v in value[:6])
        return f"a {type(value).__name__} of {len(value)} ({kinds})"
    return repr(value)[:300]


def _is_number(value: object) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool)
