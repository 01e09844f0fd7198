"""Numerical expectations: every comparison has a tolerance, and says how much of it was used."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from statistics import NormalDist
from typing import Any

import numpy as np

from . import evidence
from .failure import Failure
from .shown import describe, numbers, show

FALSE_ALARM = 1e-8  # how often `by_chance` may fail honest code


def close(
    got: Any,
    want: Any,
    *,
    atol: float = 1e-6,
    rtol: float = 1e-5,
    causes: evidence.Causes = None,
    otherwise: str = "",
    read: str = "",
    what: str = "",
) -> None:
    """`got` is an array (tensor, number) of the shape of `want` and within tolerance everywhere.

    NaN equals nothing. `what` names the value in the message ("row 2 of the weights").
    """
    name = f"{what} = " if what else ""
    actual, wanted = as_array(got, what, read), numbers(want)
    same_shape = actual.shape == wanted.shape
    lost = bool(np.isnan(actual).any()) and not np.isnan(wanted).any()
    if same_shape and not lost and np.allclose(actual, wanted, atol=atol, rtol=rtol):
        if evidence.is_observed():
            evidence.report("close", evidence.distance(actual, wanted, atol, rtol))
        return
    seen = evidence.cause(actual, wanted, causes, atol, rtol)
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


def by_chance(
    got: Any,
    want: Any,
    standard_error: Any,
    *,
    causes: evidence.Causes = None,
    because: str = "",
    otherwise: str = "",
    read: str = "",
    what: str = "",
) -> None:
    """A random answer whose mean is `want`: it fails honest code once in 1 / `FALSE_ALARM` runs.

    `standard_error` is the answer's own, element by element, under a normal approximation; the
    bound is shared out over the elements. `because` is a mistake that the test has established.
    """
    wanted, errors = numbers(want), numbers(standard_error)
    sigmas = NormalDist().inv_cdf(1 - FALSE_ALARM / (2 * max(wanted.size, 1)))
    actual = as_array(got, what, read)
    if actual.shape == wanted.shape:
        ratio = evidence.distance(actual / errors, wanted / errors, sigmas, 0.0)
        if ratio <= 1:
            evidence.report("by_chance", ratio)
            return
    name = f"{what} = " if what else ""
    bound = float(np.max(sigmas * errors))
    seen = evidence.cause(actual, wanted, causes, bound / evidence.APART, 0.0) or because
    expected = (
        f"{name}{show(wanted)} ± {bound:.2g} (chance goes beyond it once in {1 / FALSE_ALARM:.0e})"
    )
    raise Failure(expected, show(actual), seen or otherwise, read, bool(seen))


def below(
    value: float,
    limit: float,
    *,
    expected: str,
    got: str = "",
    because: str = "",
    otherwise: str = "",
    read: str = "",
) -> None:
    """A number that is about zero where the answer is right, and beyond `limit` where it is not."""
    _bounded(value <= limit, value / limit, value, expected, got, because, otherwise, read)


def above(
    value: float,
    limit: float,
    *,
    expected: str,
    got: str = "",
    because: str = "",
    otherwise: str = "",
    read: str = "",
) -> None:
    """A number that is far above `limit` where the answer is right, and below where it is not."""
    ratio = limit / value if value > 0 else np.inf
    _bounded(value >= limit, ratio, value, expected, got, because, otherwise, read)


def shape(
    got: Any,
    want: tuple[int, ...],
    *,
    causes: Mapping[str, tuple[int, ...]] | None = None,
    otherwise: str = "",
    read: str = "",
    what: str = "",
) -> None:
    """`causes` maps a mistake to the shape that it would have produced."""
    actual, wanted = as_array(got, what, read).shape, tuple(want)
    if actual != wanted:
        seen = next((n for n, s in (causes or {}).items() if tuple(s) == actual), "")
        name = f"{what} of " if what else ""
        told = f"shape {actual}"
        raise Failure(f"{name}shape {wanted}", told, seen or otherwise, read, bool(seen))


def dtype(got: Any, want: str, *, otherwise: str = "", read: str = "", what: str = "") -> None:
    """`want` is the dtype's short name, "float32" or "bfloat16"."""
    as_array(got, what, read)
    actual = str(getattr(got, "dtype", type(got).__name__)).removeprefix("torch.")
    if actual != want:
        raise Failure(f"{what or 'a result'} of dtype {want}", actual, otherwise, read)


def _bounded(
    held: bool,
    ratio: float,
    value: float,
    expected: str,
    got: str,
    because: str,
    otherwise: str,
    read: str,
) -> None:
    if not held:
        raise Failure(expected, got or f"{value:.4g}", because or otherwise, read, bool(because))
    evidence.report("bound", float(ratio))


def as_array(value: Any, what: str, read: str) -> np.ndarray:
    """An answer's numbers. Raises Failure for what holds none."""
    torch = sys.modules.get("torch")
    plain = isinstance(value, (bool, int, float, np.ndarray, list)) or (
        torch is not None and isinstance(value, torch.Tensor)
    )
    if plain:
        try:
            return numbers(value)
        except (TypeError, ValueError):
            pass
    wanted = f"an array{f' ({what})' if what else ''}"
    cause = "the function has no `return`, or returns before its value" if value is None else ""
    raise Failure(wanted, describe(value), cause, read, value is None)
