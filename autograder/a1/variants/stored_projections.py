"""Style: weights side by side or folded into one matrix; a generator of its own for every width."""

import functools

import numpy as np


def project_qkv(x, w_q, w_k, w_v):
    block = np.hstack([w_q, w_k, w_v])
    flat = x.reshape(-1, x.shape[-1]) @ block
    d_k = w_q.shape[1]
    cut = np.split(flat, [d_k, 2 * d_k], axis=1)
    return [part.reshape(*x.shape[:-1], part.shape[1]) for part in cut]


def scaled_scores(query, key):
    """Scales the query before the product instead of the scores after it."""
    return (query * query.shape[-1] ** -0.5) @ np.swapaxes(key, -1, -2)


class SelfAttention:
    def __init__(self, d_model, d_k=None, d_v=None, rng=None):
        rng = np.random.default_rng() if rng is None else rng
        draw = functools.partial(rng.normal, 0.0, 1 / np.sqrt(d_model))
        self.w_v = draw((d_model, d_v if d_v is not None else d_model))
        self.w_q, self.w_k = draw((2, d_model, d_k if d_k is not None else d_model))

    def __call__(self, x, mask=None):
        """Folds the two weights of the scores into one matrix."""
        folded = self.w_q @ self.w_k.T / np.sqrt(self.w_q.shape[1])
        scores = x @ folded @ np.swapaxes(x, -1, -2)
        if mask is not None:
            scores = np.where(mask, scores, -1e9)
        weights = softmax(scores)
        if mask is not None:
            weights = np.where(mask, weights, 0)
        self.last_weights = weights
        return weights @ (x @ self.w_v), weights


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
