"""What a check may accuse an answer of: only a mistake whose value, or error, it really shows.

A candidate speaks when it could be told from the right answer at all (it lies at least `APART`
tolerances from it) and the answer lies `NEARER` times nearer to it than to the right one.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any, Protocol

import numpy as np

from .shown import numbers

# What each likely mistake would have produced; a function of none, where that takes time.
Causes = Mapping[str, Any] | Callable[[], Mapping[str, Any]] | None

APART = 10.0  # tolerances between a mistake and the right answer
NEARER = 10.0
ROUNDING = 10.0  # tolerances within which an answer equals a mistake


class Observer(Protocol):
    """Hears of every comparison: what `autograder.proof.margins` measures."""

    def __call__(self, kind: str, ratio: float) -> None:
        """`ratio` is the difference over the tolerance; beyond 1 the comparison fails."""
        ...


_observers: list[Observer] = []


@contextmanager
def observed(observer: Observer) -> Iterator[None]:
    """Tell `observer` of every numerical comparison made meanwhile."""
    _observers.append(observer)
    try:
        yield
    finally:
        _observers.remove(observer)


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


def listed(causes: Causes) -> Mapping[str, Any]:
    """The candidates, worked out now if they were not yet: something has failed."""
    return causes() if callable(causes) else causes or {}


def cause(
    got: np.ndarray,
    want: np.ndarray,
    causes: Causes,
    atol: float,
    rtol: float,
) -> str:
    """The candidate that the answer shows, the nearest of several; "" when there is none."""
    off = distance(got, want, atol, rtol) if got.shape == want.shape else np.inf
    found = []
    for name, value in listed(causes).items():
        guess = numbers(value)
        if guess.shape != got.shape:
            continue
        if guess.shape == want.shape and distance(guess, want, atol, rtol) < APART:
            continue  # here it cannot be told from the right answer
        here = distance(got, guess, atol, rtol)
        if here <= ROUNDING and here * NEARER <= off:
            found.append((here, name))
    return min(found)[1] if found else ""


def raised_cause(kind: str, message: str, causes: Mapping[str, Callable[[], Any]]) -> str:
    """The candidate that raises the same kind with the same words; "" when there is none."""
    for name, attempt in causes.items():
        try:
            attempt()
        except Exception as error:
            known = next(c.__name__ for c in type(error).__mro__ if c.__module__ == "builtins")
            if known == kind and str(error)[:2000] == message:
                return name
    return ""
