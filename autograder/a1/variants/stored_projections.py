"""Style: weights side by side behind properties; −10⁹ as a mask, extra options, warnings."""

import math
import warnings
from dataclasses import dataclass, field

import numpy as np


def attention(query, key, value, mask=None, *, verbose=False, return_scores=False):
    if not (query.shape[-1] == key.shape[-1] and key.shape[-2] == value.shape[-2]):
        raise ValueError(f"q{query.shape} k{key.shape} v{value.shape}")
    scores = scaled_scores(query, key)
    allowed = np.ones(scores.shape) if mask is None else np.broadcast_to(mask, scores.shape) * 1.0
    if not allowed.any(axis=-1).all():
        warnings.warn("some query has no key", stacklevel=2)
    weights = softmax(scores + (1.0 - allowed) * -1e9) * allowed
    if verbose:
        print(weights.round(2))
    output = weights @ value
    return (output, weights, scores) if return_scores else (output, weights)


def project_qkv(x, w_q, w_k, w_v):
    block = np.hstack([w_q, w_k, w_v])
    flat = x.reshape(-1, x.shape[-1]) @ block
    d_k = w_q.shape[1]
    cut = np.split(flat, [d_k, 2 * d_k], axis=1)
    return [part.reshape(*x.shape[:-1], part.shape[1]) for part in cut]


def score_statistics(d_k_values, n_samples, rng):
    """One generator per width, seeded from the given one."""
    rows = []
    for d_k, seed in zip(d_k_values, rng.integers(2**31, size=len(d_k_values)), strict=True):
        own = np.random.default_rng(seed)
        query, key = own.normal(size=(n_samples, d_k, 1)), own.normal(size=(n_samples, 32, d_k))
        raw = (key @ query).reshape(n_samples, 32)
        scaled = raw * d_k**-0.5
        top = [np.mean(np.max(softmax(scores), axis=1)) for scores in (raw, scaled)]
        rows.append((np.var(raw), np.var(scaled), *top))
    table = np.array(rows)
    return table[:, 0], table[:, 1], table[:, 2:]


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
