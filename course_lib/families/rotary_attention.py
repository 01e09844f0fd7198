"""Multi-head attention with rotary positions, for texts that are read both ways."""

import torch
from jaxtyping import Bool, Float
from torch import Tensor

from ..attention import MultiHeadAttention, attention, merge_heads, split_heads
from ..positions import rotate


class RotaryMultiHeadAttention(MultiHeadAttention):
    """`MultiHeadAttention` of x to itself whose queries and keys are turned by their positions.

    Su et al. 2021, section 3.2. Positions are counted from the beginning of each row, so padding
    belongs at the end.
    """

    def forward(
        self,
        query: Float[Tensor, "batch n d_model"],
        key: Float[Tensor, "batch n d_model"],
        value: Float[Tensor, "batch n d_model"],
        mask: Bool[Tensor, "..."] | None = None,
        need_weights: bool = False,
    ) -> tuple[Float[Tensor, "batch n d_model"], Float[Tensor, "batch n_heads n n"] | None]:
        places = torch.arange(query.shape[1], device=query.device).expand(query.shape[:2])
        queries = rotate(split_heads(self.w_q(query), self.n_heads), places)
        keys = rotate(split_heads(self.w_k(key), self.n_heads), places)
        values = split_heads(self.w_v(value), self.n_heads)
        heads, weights = attention(queries, keys, values, mask, self.dropout)
        return self.w_o(merge_heads(heads)), weights if need_weights else None
