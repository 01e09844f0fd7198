"""Scaled dot-product attention in NumPy, one function per step (assignment 1).

Masks are boolean and True means "may attend"; they broadcast to `(*batch, n_q, n_k)`.

Paper statements R14, R15, R16, R18, R25, R28 (lectures/paper_audit.md).
"""

import math

import numpy as np
from jaxtyping import Bool, Float, Real


def softmax(x: Real[np.ndarray, "*shape"], axis: int = -1) -> Float[np.ndarray, "*shape"]:
    """Positive weights that sum to one along `axis`: exp(x) divided by its sum.

    Finite for every finite input, integers included: e^1000 would overflow.
    Paper: §3.2.1, Eq. 1.
    """
    x = x / 1  # floating-point: the differences of small integers would wrap around
    # Subtracting a constant from a slice cancels in the quotient; the largest exponent is then 0.
    shifted = x - np.max(x, axis=axis, keepdims=True)
    exponentials = np.exp(shifted)
    # §3.2.1, Eq. 1 — "apply a softmax function to obtain the weights on the values"
    return exponentials / np.sum(exponentials, axis=axis, keepdims=True)


def project_qkv(
    x: Float[np.ndarray, "*batch n d_model"],
    w_q: Float[np.ndarray, "d_model d_k"],
    w_k: Float[np.ndarray, "d_model d_k"],
    w_v: Float[np.ndarray, "d_model d_v"],
) -> tuple[
    Float[np.ndarray, "*batch n d_k"],
    Float[np.ndarray, "*batch n d_k"],
    Float[np.ndarray, "*batch n d_v"],
]:
    """Query, key and value of every token: three linear maps of the same input, without bias.

    Leading axes of `x` are kept. Paper: §3.2.2.
    """
    # §3.2.2 — "linearly project the queries, keys and values": QWᵢ^Q, KWᵢ^K, VWᵢ^V
    return x @ w_q, x @ w_k, x @ w_v


def scaled_scores(
    query: Float[np.ndarray, "*#batch n_q d_k"], key: Float[np.ndarray, "*#batch n_k d_k"]
) -> Float[np.ndarray, "*#batch n_q n_k"]:
    """How well each query matches each key: their dot products, divided by √d_k.

    Row i belongs to query i. Paper: §3.2.1, Eq. 1.
    """
    d_k = query.shape[-1]
    # §3.2.1, Eq. 1 — QKᵀ/√d_k
    return query @ np.swapaxes(key, -1, -2) / math.sqrt(d_k)


def attention(
    query: Float[np.ndarray, "*#batch n_q d_k"],
    key: Float[np.ndarray, "*#batch n_k d_k"],
    value: Float[np.ndarray, "*#batch n_k d_v"],
    mask: Bool[np.ndarray, "..."] | None = None,
) -> tuple[Float[np.ndarray, "*#batch n_q d_v"], Float[np.ndarray, "*#batch n_q n_k"]]:
    """The weighted mean of the values for each query; returns `(output, weights)`.

    `mask` is boolean, True = may attend, and broadcasts to `(*batch, n_q, n_k)`. A query whose
    keys are all masked gets zero weights and a zero output.
    Raises ValueError, naming both shapes, when query and key differ in width or key and value
    in number. Paper: §3.2.1, Eq. 1; §3.2.3 for the mask.
    """
    _check_shapes(query, key, value)
    scores = scaled_scores(query, key)
    if mask is not None:
        # §3.2.3 — "masking out (setting to −∞) all values in the input of the softmax"; the
        # lowest finite number instead of −∞ avoids −∞ − (−∞) in a fully masked row.
        scores = np.where(mask, scores, np.finfo(scores.dtype).min)
    # §3.2.1, Eq. 1 — softmax(QKᵀ/√d_k), over the keys
    weights = softmax(scores, axis=-1)
    if mask is not None:
        weights = np.where(mask, weights, 0.0)
    # §3.2.1, Eq. 1 — the weights times V: "a weighted sum of the values" (§3.2)
    return weights @ value, weights


def _check_shapes(query: np.ndarray, key: np.ndarray, value: np.ndarray) -> None:
    """Raise ValueError, naming both shapes, when arguments of `attention` are incompatible."""
    if query.shape[-1] != key.shape[-1]:
        raise ValueError(
            f"query {query.shape} and key {key.shape} have different widths d_k: "
            "make their last axes equal"
        )
    if key.shape[-2] != value.shape[-2]:
        raise ValueError(
            f"key {key.shape} and value {value.shape} have different numbers of tokens n_k: "
            "give one value for each key"
        )


class SelfAttention:
    """One attention head over a sequence that is its own query, key and value.

    `d_k` and `d_v` default to `d_model`; the weights `w_q`, `w_k` `(d_model, d_k)` and `w_v`
    `(d_model, d_v)` are drawn from `rng`, a fresh generator by default. Paper: §3.2.2, §3.2.3.
    """

    def __init__(
        self,
        d_model: int,
        d_k: int | None = None,
        d_v: int | None = None,
        rng: np.random.Generator | None = None,
    ):
        d_k = d_model if d_k is None else d_k
        d_v = d_model if d_v is None else d_v
        rng = np.random.default_rng() if rng is None else rng
        # Variance 1/d_model: inputs of variance 1 have projections of variance 1.
        scale = 1 / math.sqrt(d_model)
        self.w_q = scale * rng.standard_normal((d_model, d_k))
        self.w_k = scale * rng.standard_normal((d_model, d_k))
        self.w_v = scale * rng.standard_normal((d_model, d_v))

    def __call__(
        self,
        x: Float[np.ndarray, "*batch n d_model"],
        mask: Bool[np.ndarray, "..."] | None = None,
    ) -> tuple[Float[np.ndarray, "*batch n d_v"], Float[np.ndarray, "*batch n n"]]:
        """Project `x`, then attend; returns `(output, weights)`."""
        # §3.2.3 — "all of the keys, values and queries come from the same place"
        query, key, value = project_qkv(x, self.w_q, self.w_k, self.w_v)
        return attention(query, key, value, mask)
