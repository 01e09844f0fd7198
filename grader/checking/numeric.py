"""Numerical expectations: each has a tolerance, and tells who observes how much of it was used."""

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np

from ..seam import Handle
from .messages import Failure

MAX_ITEMS = 8  # of a list or dict, and numbers of an array, before it is shortened
MAX_TEXT = 300
NO_RETURN = "the function has no `return`, or returns before it has a value"
PART_MISSING = (
    "this part of the answer is None: is it computed, asked for and returned? (A gradient is None "
    "where no path leads back to its tensor.)"
)
FOR_CHANCE = 0.01  # a tolerance from here on is one of random answers, chosen in standard errors


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


Observer = Callable[[float], None]  # of the difference over the tolerance; beyond 1, it is wrong
_observers: list[Observer] = []
_running = ""


@contextmanager
def observed(observer: Observer) -> Iterator[None]:
    """Call `observer` for every comparison inside the block whose tolerance is for rounding."""
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
    actual, target = as_array(got, what, read, otherwise), numbers(want)
    same_shape = actual.shape == target.shape
    has_nan = bool(np.isnan(actual).any()) and not np.isnan(target).any()
    if same_shape and not has_nan and np.allclose(actual, target, atol=atol, rtol=rtol):
        for observer in _observers if max(atol, rtol) < FOR_CHANCE else ():
            observer(distance(actual, target, atol, rtol))
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


def as_array(value: Any, what: str, read: str, otherwise: str = "") -> np.ndarray:
    """The answer as a float64 array. Raises Failure if it is not numeric."""
    torch = sys.modules.get("torch")
    holes = value is None or (isinstance(value, list) and any(one is None for one in value))
    plain = isinstance(value, (bool, int, float, np.ndarray, list)) or (
        torch is not None and isinstance(value, torch.Tensor)
    )
    if plain and not holes:
        try:
            return numbers(value)
        except (TypeError, ValueError):
            pass
    expected = f"an array{f' ({what})' if what else ''}"
    if value is None and not what:
        raise Failure(expected, "None", NO_RETURN, read, seen=True)
    raise Failure(expected, describe(value), PART_MISSING if holes else otherwise, read)
