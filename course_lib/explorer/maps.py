"""The explorer's data: the weights of all heads of all layers, checked, and their words."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

SCALE = 1000  # weights are shown in thousandths
TOLERANCE = 0.01  # of the sum of a row


@dataclass(frozen=True)
class AttentionMaps:
    """One kind of attention: `weights` is (layers, heads, queries, keys), in thousandths."""

    name: str
    queries: tuple[str, ...]
    keys: tuple[str, ...]
    weights: np.ndarray

    @property
    def n_layers(self) -> int:
        return int(self.weights.shape[0])

    @property
    def n_heads(self) -> int:
        return int(self.weights.shape[1])

    def strongest(self, layer: int, head: int) -> list[tuple[str, str, float]]:
        """Of every query: its word, the key with the largest weight, and that weight.

        A query without any weight, whose keys are all masked, is left out.
        """
        rows = zip(self.queries, self.weights[layer, head], strict=True)
        return [
            (word, self.keys[row.argmax()], row.max() / SCALE) for word, row in rows if any(row)
        ]


def attention_maps(
    weights: Any, queries: Sequence[str], keys: Sequence[str] | None = None, name: str = "attention"
) -> AttentionMaps:
    """Check weights of shape (queries, keys), (heads, …) or (layers, heads, …), and round them.

    `weights` is an array, a tensor, or a list with one of them a layer; `keys` are the words of
    the keys, by default those of the queries. Raises ValueError unless every row sums to 1, or to
    0 where all its keys are masked.
    """
    keys = queries if keys is None else keys
    found = _as_array(weights)
    words = len(queries), len(keys)
    if not 2 <= found.ndim <= 4 or found.shape[-2:] != words or 0 in found.shape:
        raise ValueError(
            f"{name}: weights of shape {found.shape} do not fit {words[0]} queries and {words[1]} "
            f"keys: give {words}, with the heads before them, or the layers and the heads"
        )
    found = found.reshape((1,) * (4 - found.ndim) + found.shape)
    if not np.isfinite(found).all():
        raise ValueError(f"{name}: the weights contain NaN or infinite numbers")
    if found.min() < -1e-6:
        raise ValueError(f"{name}: a weight is negative ({found.min():.3f}); scores, perhaps?")
    sums = found.sum(axis=-1)
    wrong = np.argwhere((abs(sums - 1) > TOLERANCE) & (abs(sums) > 1e-6))
    if len(wrong):
        layer, head, row = (int(number) for number in wrong[0])
        raise ValueError(
            f"{name}: the weights of {queries[row]!r} (layer {layer}, head {head}) sum to "
            f"{sums[layer, head, row]:.3f}: a row sums to 1, or to 0 where all keys are masked. "
            "Does a query take a row? Is dropout switched off (`model.eval()`)?"
        )
    rounded = np.rint(found * SCALE).astype(int)
    return AttentionMaps(name, tuple(map(str, queries)), tuple(map(str, keys)), rounded)


def _as_array(weights: Any) -> np.ndarray:
    """Floats of an array, of a tensor with or without gradients, or of a list of them."""
    if isinstance(weights, (list, tuple)):
        parts = [_as_array(part) for part in weights]
        shapes = {part.shape for part in parts}
        if len(shapes) > 1:
            raise ValueError(f"the layers have weights of different shapes: {sorted(shapes)}")
        return np.stack(parts) if parts else np.empty(0)
    if hasattr(weights, "detach"):
        weights = weights.detach().cpu()
    return np.asarray(weights, dtype=float)
