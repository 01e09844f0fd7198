"""Formats values for the messages of failed checks."""

import sys
from typing import Any

import numpy as np

from ..seam import Handle

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
