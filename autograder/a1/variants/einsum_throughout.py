"""Style: everything is one einsum; masks by −∞, and the empty rows repaired at the end."""

import numpy as np


def softmax(x, axis=-1):
    x = np.asarray(x, dtype=float)
    e = np.exp(x - np.amax(x, axis=axis, keepdims=True))
    return e / np.expand_dims(e.sum(axis), axis)


def project_qkv(x, w_q, w_k, w_v):
    return [np.einsum("...i,ij->...j", x, w) for w in (w_q, w_k, w_v)]


def scaled_scores(query, key):
    return np.einsum("...id,...jd->...ij", query, key) * key.shape[-1] ** -0.5


def attention(query, key, value, mask=None):
    if query.shape[-1] != key.shape[-1] or key.shape[-2] != value.shape[-2]:
        raise ValueError(
            f"cannot attend: query {query.shape}, key {key.shape}, value {value.shape}"
        )
    scores = scaled_scores(query, key)
    if mask is None:
        mask = True
    scores = np.where(mask, scores, -np.inf)
    with np.errstate(invalid="ignore"):
        weights = softmax(scores)
    weights = np.where(np.isnan(weights), 0.0, weights)
    return np.einsum("...ij,...jd->...id", weights, value), weights


class SelfAttention:
    def __init__(self, d_model, d_k=None, d_v=None, rng=None):
        widths = [w or d_model for w in (d_k, d_k, d_v)]
        rng = rng or np.random.default_rng()
        for name, width in zip(("w_q", "w_k", "w_v"), widths, strict=True):
            setattr(self, name, rng.normal(0.0, d_model**-0.5, size=(d_model, width)))

    def __call__(self, x, mask=None):
        return attention(*project_qkv(x, self.w_q, self.w_k, self.w_v), mask=mask)


def attention_backward(grad_output, query, key, value, mask=None):
    d = query.shape[-1]
    _, w = attention(query, key, value, mask)
    g = np.einsum("...id,...jd->...ij", grad_output, value)
    s = np.einsum("...ij,...ij->...ij", w, g - np.einsum("...ij,...ij->...i", w, g)[..., None])
    return (
        np.einsum("...ij,...jd->...id", s, key) / np.sqrt(d),
        np.einsum("...ij,...id->...jd", s, query) / np.sqrt(d),
        np.einsum("...ij,...id->...jd", w, grad_output),
    )
