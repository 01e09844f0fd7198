"""Style: weights behind properties, a named tuple and a dict of its own as results."""

import math
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np


class Attended(NamedTuple):
    output: np.ndarray
    weights: np.ndarray


@dataclass
class _Attention:
    fill: float = -1e12

    def __call__(self, query, key, value, mask=None):
        self.check(query, key, "width", -1)
        self.check(key, value, "number of tokens", -2)
        scores = query @ key.swapaxes(-1, -2) / math.sqrt(query.shape[-1])
        if mask is None:
            return Attended(softmax(scores) @ value, softmax(scores))
        weights = softmax(np.where(mask, scores, self.fill))
        weights = np.multiply(weights, mask)
        return Attended(weights @ value, weights)

    @staticmethod
    def check(first, second, what, axis):
        if first.shape[axis] != second.shape[axis]:
            raise ValueError(f"{first.shape} and {second.shape} differ in their {what}")


def attention(query, key, value, mask=None):
    return _Attention()(query, key, value, mask)


@dataclass
class SelfAttention:
    d_model: int
    d_k: int | None = None
    d_v: int | None = None
    rng: np.random.Generator = field(default_factory=np.random.default_rng)

    def __post_init__(self):
        d_k, d_v = self.d_k or self.d_model, self.d_v or self.d_model
        rng = self.rng or np.random.default_rng()
        drawn = rng.standard_normal((self.d_model, 2 * d_k + d_v)) / math.sqrt(self.d_model)
        self._parts = dict(zip("qkv", np.split(drawn, [d_k, 2 * d_k], axis=1), strict=True))

    @property
    def w_q(self):
        return self._parts["q"]

    @w_q.setter
    def w_q(self, weight):
        self._parts["q"] = weight

    @property
    def w_k(self):
        return self._parts["k"]

    @w_k.setter
    def w_k(self, weight):
        self._parts["k"] = weight

    @property
    def w_v(self):
        return self._parts["v"]

    @w_v.setter
    def w_v(self, weight):
        self._parts["v"] = weight

    def __call__(self, x, mask=None):
        """One product with all three weights side by side, then cut in three."""
        together = np.concatenate([self.w_q, self.w_k, self.w_v], axis=1)
        cuts = np.cumsum([self.w_q.shape[1], self.w_k.shape[1]])
        return attention(*np.split(x @ together, cuts, axis=-1), mask)


class operation_counts(dict):
    """A dict that fills itself."""

    def __init__(self, n, d_model):
        super().__init__()
        self["self-attention"] = dict(operations=np.int64(n) ** 2 * d_model, sequential=1)  # noqa: C408
        self["recurrent"] = dict(operations=np.int64(d_model) ** 2 * n, sequential=n)  # noqa: C408
