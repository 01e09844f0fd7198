"""Numerical expectations: each has a tolerance, and tells who observes how much of it was used."""

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from statistics import NormalDist
from typing import Any, Protocol

import numpy as np

from ..seam import Handle
from .messages import Failure

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


class Observer(Protocol):
    """Called for every comparison; `grader.authoring.proof.margins` measures with one."""

    def __call__(self, kind: str, ratio: float) -> None:
        """`ratio` is the difference over the tolerance; beyond 1 the comparison fails."""
        ...


_observers: list[Observer] = []
_running = ""


@contextmanager
def observed(observer: Observer) -> Iterator[None]:
    """Call `observer` for every numerical comparison inside the block."""
    _observers.append(observer)
    try:
        yield
    finally:
        _observers.remove(observer)


def begin(test: str) -> None:
    """Comparisons from now on belong to the test with this id."""
    global _running
    _running = test


def running() -> str:
    """The id of the test that compares now."""
    return _running


def is_observed() -> bool:
    return bool(_observers)


def report(kind: str, ratio: float) -> None:
    for observer in _observers:
        observer(kind, ratio)


def distance(got: np.ndarray, want: np.ndarray, atol: float, rtol: float) -> float:
    """The largest |got − want| in units of atol + rtol·|want|; equal infinities and NaNs are 0."""
    if got.size == 0:
        return 0.0
    same = (got == want) | (np.isnan(got) & np.isnan(want))
    with np.errstate(invalid="ignore", divide="ignore", over="ignore"):
        apart = np.abs(got - want)
        ratio = np.where(apart > 0, apart / (atol + rtol * np.abs(want)), 0.0)
    ratio = np.where(np.isfinite(got) & np.isfinite(want), ratio, np.inf)
    return float(np.max(np.where(same, 0.0, ratio)))


FALSE_ALARM = 1e-8  # the probability that `by_chance` fails correct code


def close(
    got: Any,
    want: Any,
    *,
    atol: float = 1e-6,
    rtol: float = 1e-5,
    otherwise: str = "",
    read: str = "",
    what: str = "",
) -> None:
    """An array, tensor or number with the shape of `want`, within tolerance everywhere.

    NaN equals nothing. `what` names the value in the message ("row 2 of the weights").
    """
    name = f"{what} = " if what else ""
    actual, target = as_array(got, what, read), numbers(want)
    same_shape = actual.shape == target.shape
    has_nan = bool(np.isnan(actual).any()) and not np.isnan(target).any()
    if same_shape and not has_nan and np.allclose(actual, target, atol=atol, rtol=rtol):
        if is_observed():
            report("close", distance(actual, target, atol, rtol))
        return
    if not same_shape:
        expected, found = f"{name}shape {target.shape}", f"shape {actual.shape}"
    elif has_nan:
        expected, found = name + show(target), f"NaN in {show(actual)}"
        otherwise = otherwise or "0/0 or ∞ − ∞ somewhere"
    else:
        difference = np.abs(actual - target)
        worst = tuple(int(i) for i in np.unravel_index(int(np.argmax(difference)), target.shape))
        at = f" (largest difference {difference.max():.3g} at {list(worst)})" if worst else ""
        expected, found = name + show(target), show(actual) + at
    raise Failure(expected, found, otherwise, read, value=actual)


def by_chance(
    got: Any,
    want: Any,
    standard_error: Any,
    *,
    otherwise: str = "",
    read: str = "",
    what: str = "",
) -> None:
    """A random answer with mean `want`; correct code fails with probability `FALSE_ALARM`.

    `standard_error` is that of each element (normal approximation); the bound is corrected for the
    number of elements.
    """
    target, errors = numbers(want), numbers(standard_error)
    sigmas = NormalDist().inv_cdf(1 - FALSE_ALARM / (2 * max(target.size, 1)))
    actual = as_array(got, what, read)
    if actual.shape == target.shape:
        ratio = distance(actual / errors, target / errors, sigmas, 0.0)
        if ratio <= 1:
            report("by_chance", ratio)
            return
    name = f"{what} = " if what else ""
    bound = float(np.max(sigmas * errors))
    expected = (
        f"{name}{show(target)} ± {bound:.2g} (chance exceeds this once in {1 / FALSE_ALARM:.0e})"
    )
    raise Failure(expected, show(actual), otherwise, read, value=actual)


def below(
    value: float, limit: float, *, expected: str, got: str = "", otherwise: str = "", read: str = ""
) -> None:
    """A number that is near zero if the answer is right, and above `limit` if it is not."""
    _bounded(value / limit, Failure(expected, got or f"{value:.4g}", otherwise, read))


def above(
    value: float, limit: float, *, expected: str, got: str = "", otherwise: str = "", read: str = ""
) -> None:
    """A number that is far above `limit` if the answer is right, and below it if it is not."""
    ratio = limit / value if value > 0 else np.inf
    _bounded(ratio, Failure(expected, got or f"{value:.4g}", otherwise, read))


def _bounded(ratio: float, failure: Failure) -> None:
    """Raise the failure unless the share of the limit that the answer uses is at most 1."""
    if not ratio <= 1:
        raise failure
    report("bound", float(ratio))


def as_array(value: Any, what: str, read: str) -> np.ndarray:
    """The answer as a float64 array. Raises Failure if it is not numeric."""
    torch = sys.modules.get("torch")
    plain = isinstance(value, (bool, int, float, np.ndarray, list)) or (
        torch is not None and isinstance(value, torch.Tensor)
    )
    if plain:
        try:
            return numbers(value)
        except (TypeError, ValueError):
            pass
    expected = f"an array{f' ({what})' if what else ''}"
    cause = (
        "the function has no `return`, or returns before it has a value" if value is None else ""
    )
    raise Failure(expected, describe(value), cause, read, value is None)
