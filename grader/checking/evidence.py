"""Decides when a check may name a likely cause: only if the answer or the error matches it.

A candidate's value must differ from the right answer by at least `APART` tolerances; the answer
must equal it within `ROUNDING` tolerances and be `NEARER` times closer to it than to the right one.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any, Protocol

import numpy as np

from .shown import numbers

# What each likely mistake would have produced; a function that returns this if it is slow.
Causes = Mapping[str, Any] | Callable[[], Mapping[str, Any]] | None

APART = 10.0  # tolerances between a mistake and the right answer
NEARER = 10.0
ROUNDING = 10.0  # tolerances


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


def listed(causes: Causes) -> Mapping[str, Any]:
    """The candidates; a function is called here, so only after a failure."""
    return causes() if callable(causes) else causes or {}


def cause(
    got: np.ndarray,
    want: np.ndarray,
    causes: Causes,
    atol: float,
    rtol: float,
) -> str:
    """The candidate that the answer matches, the closest of several; "" if there is none."""
    off = distance(got, want, atol, rtol) if got.shape == want.shape else np.inf
    found = []
    for name, value in listed(causes).items():
        guess = numbers(value)
        if guess.shape != got.shape:
            continue
        if guess.shape == want.shape and distance(guess, want, atol, rtol) < APART:
            continue  # indistinguishable from the right answer on these inputs
        gap = distance(got, guess, atol, rtol)
        if gap <= ROUNDING and gap * NEARER <= off:
            found.append((gap, name))
    return min(found)[1] if found else ""


def raised_cause(kind: str, message: str, causes: Mapping[str, Callable[[], Any]]) -> str:
    """The candidate that raises the same exception with the same message; "" if there is none."""
    for name, attempt in causes.items():
        try:
            attempt()
        except Exception as error:
            known = next(c.__name__ for c in type(error).__mro__ if c.__module__ == "builtins")
            if known == kind and str(error)[:2000] == message:
                return name
    return ""
