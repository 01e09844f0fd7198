"""Style: other internals in every exercise: log-space softmax, weights as one block, a cache."""

import functools

import matplotlib.pyplot as plt
import numpy as np


def softmax(x: np.ndarray, axis: int = -1) -> np.ndarray:
    """exp(x − log Σ exp x), with the logarithm from logaddexp."""
    x = np.asarray(x, dtype=float)
    return np.exp(x - np.logaddexp.reduce(x, axis=axis, keepdims=True))


def project_qkv(x, w_q, w_k, w_v):
    block = np.hstack([w_q, w_k, w_v])
    flat = x.reshape(-1, x.shape[-1]) @ block
    d_k = w_q.shape[1]
    cut = np.split(flat, [d_k, 2 * d_k], axis=1)
    return tuple(part.reshape(*x.shape[:-1], part.shape[1]) for part in cut)


def scaled_scores(query, key):
    """Scales the query before the product instead of the scores after it."""
    return (query * query.shape[-1] ** -0.5) @ np.swapaxes(key, -1, -2)


def attention(query, key, value, mask=None):
    """Weights the values by unnormalized exponentials, then divides the sum."""
    if query.shape[-1] != key.shape[-1]:
        raise ValueError(f"{query.shape} against {key.shape}: query and key need one width")
    if key.shape[-2] != value.shape[-2]:
        raise ValueError(f"{key.shape} against {value.shape}: one value for each key")
    scores = scaled_scores(query, key)
    allowed = np.broadcast_to(True if mask is None else mask, scores.shape)
    highest = np.max(scores, axis=-1, keepdims=True, where=allowed, initial=-np.inf)
    highest = np.where(np.isinf(highest), 0.0, highest)
    shares = np.exp(np.minimum(scores - highest, 0.0)) * allowed
    total = shares.sum(axis=-1, keepdims=True)
    total = np.where(total == 0, 1.0, total)
    return (shares @ value) / total, shares / total


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
        return weights @ (x @ self.w_v), weights


def plot_attention(weights, tokens, mask=None, ax=None):
    weights, tokens = np.asarray(weights), [str(token) for token in tokens]
    if weights.shape != (len(tokens), len(tokens)):
        raise ValueError(f"weights {weights.shape} and {len(tokens)} tokens")
    figure = plt.figure(figsize=(4, 4)) if ax is None else ax.figure
    ax = figure.subplots() if ax is None else ax
    hidden = None if mask is None else np.broadcast_to(np.logical_not(mask), weights.shape)
    picture = ax.imshow(np.ma.MaskedArray(weights, mask=hidden), aspect="auto")
    picture.set_clim(0, 1)
    places = list(range(len(tokens)))
    ax.set_xticks(places)
    ax.set_xticklabels(tokens, rotation="vertical")
    ax.set_yticks(places)
    ax.set_yticklabels(tokens)
    ax.set_title("Attention weights, 0 to 1")
    ax.set_xlabel("Keys")
    ax.set_ylabel("Queries")
    return ax


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


@functools.lru_cache(maxsize=None)  # noqa: UP033
def operation_counts(n, d_model):
    return {
        "recurrent": {"sequential": n, "operations": n * d_model**2},
        "self-attention": {"sequential": 1, "operations": n**2 * d_model},
    }
