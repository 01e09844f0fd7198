"""Multi-head attention with the relative position bias of T5."""

import math

import torch
from jaxtyping import Bool, Float
from torch import Tensor

from ..attention import MultiHeadAttention, merge_heads, split_heads
from ..positions import RelativeBias


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
        scores = queries @ keys.transpose(-2, -1) / math.sqrt(queries.shape[-1])
        scores = scores + self.relative(query.shape[1], key.shape[1])
        if mask is not None:
            scores = scores.masked_fill(~mask, torch.finfo(scores.dtype).min)
        weights = torch.softmax(scores, dim=-1)
        if mask is not None:
            weights = weights.masked_fill(~mask, 0.0)
        output = self.w_o(merge_heads(self.dropout(weights) @ values))
        return output, weights if need_weights else None
