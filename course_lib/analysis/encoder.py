"""Analysis of a trained encoder: the attention each token receives, and accuracy by length."""

import math
from collections.abc import Sequence
from itertools import pairwise

import numpy as np
from jaxtyping import Bool, Float
from torch import Tensor


def attention_received(
    weights: Float[Tensor, "batch heads n n"], mask: Bool[Tensor, "batch 1 1 n"]
) -> Float[Tensor, "batch n"]:
    """The share of attention each token receives in one layer; the shares of a sentence sum to 1.

    The mean weight of each key over the heads and the real queries. `mask` is a padding mask, True
    at real tokens: padding does not count as a query and receives 0. Appendix, Figures 3-5, show
    the same weights query by query.
    """
    real = mask[:, 0, 0, :]
    given = weights.mean(dim=1).masked_fill(~real[:, :, None], 0.0)
    received = given.sum(dim=1) / real.sum(dim=1, keepdim=True).clamp(min=1)
    return received.masked_fill(~real, 0.0)


def accuracy_by_length(
    lengths: Sequence[int], correct: Sequence[bool], edges: Sequence[int]
) -> list[dict[str, float | None]]:
    """Accuracy in bins of sentence length: one dict per bin, in order, empty bins included.

    Bin i holds the sentences with `edges[i] <= length < edges[i + 1]` and becomes
    `{"from", "to", "n", "accuracy", "standard_error"}`: accuracy p between 0 and 1, standard error
    √(p(1 − p)/n). An empty bin has n = 0 and None for both.
    Raises ValueError, naming the length, when a sentence falls into no bin.
    """
    length, right = np.asarray(lengths), np.asarray(correct, dtype=float)
    for outside in length[(length < edges[0]) | (length >= edges[-1])]:
        raise ValueError(
            f"a sentence of {outside} tokens falls into no bin: the edges cover {edges[0]} "
            f"to {edges[-1] - 1}"
        )
    rows: list[dict[str, float | None]] = []
    for start, end in pairwise(edges):
        inside = right[(length >= start) & (length < end)]
        n = len(inside)
        p = float(inside.mean()) if n else None
        error = None if p is None else math.sqrt(p * (1 - p) / n)
        rows.append({"from": start, "to": end, "n": n, "accuracy": p, "standard_error": error})
    return rows
