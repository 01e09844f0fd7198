"""Style: everything is computed and returned in float32, as on a GPU."""

import numpy as np

FLOAT = np.float32


def softmax(x, axis=-1):
    x = np.array(x, dtype=FLOAT)
    x -= x.max(axis=axis, keepdims=True)
    np.exp(x, out=x)
    x /= x.sum(axis=axis, keepdims=True)
    return x


def project_qkv(x, w_q, w_k, w_v):
    x = x.astype(FLOAT)
    return tuple(x @ w.astype(FLOAT) for w in (w_q, w_k, w_v))


def scaled_scores(query, key):
    d_k = FLOAT(query.shape[-1])
    return query.astype(FLOAT) @ np.moveaxis(key.astype(FLOAT), -1, -2) / np.sqrt(d_k)


class SelfAttention:
    def __init__(self, d_model, d_k=None, d_v=None, rng=None):
        if rng is None:
            rng = np.random.default_rng()
        d_k, d_v = d_k or d_model, d_v or d_model
        bound = np.sqrt(3 / d_model)
        self.w_q = rng.uniform(-bound, bound, (d_model, d_k)).astype(FLOAT)
        self.w_k = rng.uniform(-bound, bound, (d_model, d_k)).astype(FLOAT)
        self.w_v = rng.uniform(-bound, bound, (d_model, d_v)).astype(FLOAT)

    def __call__(self, x, mask=None):
        return attention(*project_qkv(x, self.w_q, self.w_k, self.w_v), mask)


def score_statistics(d_k_values, n_samples, rng):
    raw_variance = np.empty(len(d_k_values), FLOAT)
    scaled_variance = np.empty_like(raw_variance)
    max_weight = np.empty((len(d_k_values), 2), FLOAT)
    for i, d_k in enumerate(d_k_values):
        q = rng.standard_normal((n_samples, d_k), dtype=FLOAT)
        k = rng.standard_normal((n_samples, 32, d_k), dtype=FLOAT)
        raw = np.matmul(k, q[:, :, None])[..., 0]
        for column, scores in enumerate((raw, raw / FLOAT(d_k) ** FLOAT(0.5))):
            (raw_variance, scaled_variance)[column][i] = np.var(scores, ddof=1)
            max_weight[i, column] = softmax(scores).max(1).mean()
    return raw_variance, scaled_variance, max_weight
