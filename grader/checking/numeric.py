"""Numerical expectations: each has a tolerance, and reports how much of it an answer used."""

import sys
from statistics import NormalDist
from typing import Any

import numpy as np

from . import evidence
from .messages import Failure
from .value_text import describe, numbers, show

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
        if evidence.is_observed():
            evidence.report("close", evidence.distance(actual, target, atol, rtol))
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
        ratio = evidence.distance(actual / errors, target / errors, sigmas, 0.0)
        if ratio <= 1:
            evidence.report("by_chance", ratio)
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
    evidence.report("bound", float(ratio))


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
