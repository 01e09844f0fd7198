"""The backward pass of attention, derived manually, in NumPy (assignment 1, bonus).

Paper statement R15 (lectures/paper_audit.md).
"""

import math

import numpy as np
from jaxtyping import Bool, Float

from .attention import softmax


def attention_backward(
    grad_output: Float[np.ndarray, "*batch n_q d_v"],
    query: Float[np.ndarray, "*batch n_q d_k"],
    key: Float[np.ndarray, "*batch n_k d_k"],
    value: Float[np.ndarray, "*batch n_k d_v"],
    mask: Bool[np.ndarray, "..."] | None = None,
) -> tuple[
    Float[np.ndarray, "*batch n_q d_k"],
    Float[np.ndarray, "*batch n_k d_k"],
    Float[np.ndarray, "*batch n_k d_v"],
]:
    """Gradients of a loss w.r.t. query, key and value, given that w.r.t. attention's output.

    The arrays have the same leading axes (no broadcasting); `mask` is boolean, True = may attend.
    Note that a score affects every weight of its row, not only its own. Paper: §3.2.1, Eq. 1.
    """
    scale = 1 / math.sqrt(query.shape[-1])
    # Recompute the forward pass, since the backward pass needs the weights:
    # §3.2.1, Eq. 1 — softmax(QKᵀ/√d_k)
    scores = scale * (query @ np.swapaxes(key, -1, -2))
    if mask is not None:
        scores = np.where(mask, scores, np.finfo(scores.dtype).min)
    weights = softmax(scores, axis=-1)
    if mask is not None:
        weights = np.where(mask, weights, 0.0)

    # output = weights · V, so each factor's gradient is the other one's transpose.
    grad_value = np.swapaxes(weights, -1, -2) @ grad_output
    grad_weights = grad_output @ np.swapaxes(value, -1, -2)
    # ∂wᵢ/∂sⱼ = wᵢ(δᵢⱼ − wⱼ): a score's own effect minus its row's weighted mean.
    row_mean = np.sum(weights * grad_weights, axis=-1, keepdims=True)
    grad_scores = weights * (grad_weights - row_mean)
    # scores = scale · QKᵀ: row i of Q meets every key, row j of K meets every query.
    grad_query = scale * (grad_scores @ key)
    grad_key = scale * (np.swapaxes(grad_scores, -1, -2) @ query)
    return grad_query, grad_key, grad_value
