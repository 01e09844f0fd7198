"""Attention with the relative position bias of T5: read both ways, and with a cache."""

import math

import torch
from jaxtyping import Bool, Float
from torch import Tensor, nn

from ..attention import MultiHeadAttention, merge_heads, split_heads
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
    scores = queries @ keys.transpose(-2, -1) / math.sqrt(queries.shape[-1]) + bias
    if mask is not None:
        scores = scores.masked_fill(~mask, torch.finfo(scores.dtype).min)
    weights = torch.softmax(scores, dim=-1)
    if mask is not None:
        weights = weights.masked_fill(~mask, 0.0)
    return dropout(weights) @ values, weights


class RelativeMultiHeadAttention(MultiHeadAttention):
    """`MultiHeadAttention` with a bias on the scores (Raffel et al. 2020, section 2.1).

    `relative` may be shared by all layers, as in T5. Scores are scaled by 1 / √d_k as in the paper;
    T5 folds the scaling into its initialization.
    """

    def __init__(
        self, d_model: int, n_heads: int, dropout: float, relative: RelativeBias, bias: bool = True
    ) -> None:
        super().__init__(d_model, n_heads, dropout, bias)
        self.relative = relative

    def forward(
        self,
        query: Float[Tensor, "batch n_q d_model"],
        key: Float[Tensor, "batch n_k d_model"],
        value: Float[Tensor, "batch n_k d_model"],
        mask: Bool[Tensor, "..."] | None = None,
        need_weights: bool = False,
    ) -> tuple[Float[Tensor, "batch n_q d_model"], Float[Tensor, "batch n_heads n_q n_k"] | None]:
        queries = split_heads(self.w_q(query), self.n_heads)
        keys = split_heads(self.w_k(key), self.n_heads)
        values = split_heads(self.w_v(value), self.n_heads)
        bias = self.relative(query.shape[1], key.shape[1])
        heads, weights = biased_attention(queries, keys, values, bias, mask, self.dropout)
        return self.w_o(merge_heads(heads)), weights if need_weights else None


class RelativeCachedAttention(CachedAttention):
    """`CachedAttention` with the same bias: the distances are those within the rows of x.

    So padding may stand before a text or after it, and not within it.
    """

    def __init__(self, d_model: int, n_heads: int, dropout: float, relative: RelativeBias) -> None:
        super().__init__(d_model, n_heads, dropout)
        self.relative = relative

    def forward(
        self,
        query: Float[Tensor, "batch n d_model"],
        key: Float[Tensor, "batch n d_model"],
        value: Float[Tensor, "batch n d_model"],
        mask: Bool[Tensor, "..."] | None = None,
        need_weights: bool = False,
    ) -> tuple[Float[Tensor, "batch n d_model"], Float[Tensor, "batch n_heads n n_k"] | None]:
        queries = split_heads(self.w_q(query), self.n_heads)
        keys = split_heads(self.w_k(key), self.n_heads)
        values = split_heads(self.w_v(value), self.n_heads)
        if self.cache is not None:
            keys, values = self.cache.extend(keys, values)
        n, n_keys = query.shape[1], keys.shape[2]
        bias = self.relative(n_keys, n_keys)[:, n_keys - n :]  # the new queries come last
        heads, weights = biased_attention(queries, keys, values, bias, mask, self.dropout)
        return self.w_o(merge_heads(heads)), weights if need_weights else None
