"""Attention with the relative position bias of T5: read both ways, and with a cache."""

import math

import torch
from jaxtyping import Bool, Float
from torch import Tensor, nn

from ..attention import attention
from ..positions import RelativeBias
from .cached_attention import CachedAttention


def biased_attention(
    queries: Float[Tensor, "batch n_heads n_q d_k"],
    keys: Float[Tensor, "batch n_heads n_k d_k"],
    values: Float[Tensor, "batch n_heads n_k d_k"],
    bias: Float[Tensor, "n_heads n_q n_k"],
    mask: Bool[Tensor, "..."] | None,
    dropout: nn.Module,
) -> tuple[Float[Tensor, "batch n_heads n_q d_k"], Float[Tensor, "batch n_heads n_q n_k"]]:
    """`attention` (§3.2.1, Eq. 1) with a bias on the scores; `(output, weights)`."""
    if mask is not None and mask.dtype != torch.bool:
        return attention(queries, keys, values, mask)  # which says what to give
    scores = queries @ keys.transpose(-2, -1) / math.sqrt(queries.shape[-1]) + bias
    if mask is not None:
        scores = scores.masked_fill(~mask, torch.finfo(scores.dtype).min)
    weights = torch.softmax(scores, dim=-1)
    if mask is not None:
        weights = weights.masked_fill(~mask, 0.0)
    return dropout(weights) @ values, weights


class RelativeMultiHeadAttention(CachedAttention):
    """Multi-head attention of x to itself, a bias on the scores (Raffel et al. 2020, section 2.1).

    `relative` may be shared by all layers, as in T5. Scores are scaled by 1 / √d_k as in the paper;
    T5 folds the scaling into its initialization. Distances are those within the rows of x, those
    in a `cache` included: padding may come before a text or after it, not within it.
    """

    def __init__(
        self, d_model: int, n_heads: int, dropout: float, relative: RelativeBias, bias: bool = True
    ) -> None:
        super().__init__(d_model, n_heads, dropout, bias)
        self.relative = relative

    def attend(
        self,
        queries: Float[Tensor, "batch n_heads n d_k"],
        keys: Float[Tensor, "batch n_heads n d_k"],
        values: Float[Tensor, "batch n_heads n d_k"],
        mask: Bool[Tensor, "..."] | None,
    ) -> tuple[Float[Tensor, "batch n_heads n d_k"], Float[Tensor, "batch n_heads n n_all"]]:
        if self.cache is not None:
            keys, values = self.cache.extend(keys, values)
        n, n_all = queries.shape[2], keys.shape[2]
        bias = self.relative(n_all, n_all)[:, n_all - n :]  # the new queries come last
        return biased_attention(queries, keys, values, bias, mask, self.dropout)
