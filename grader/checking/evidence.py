"""How far an answer is from the right one, and who watches the comparisons."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Protocol

import numpy as np


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
