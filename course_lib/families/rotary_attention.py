"""Multi-head attention with rotary positions, for texts that are read both ways."""

import torch
from jaxtyping import Bool, Float
from torch import Tensor

from ..attention import attention
from ..positions import rotate
from .projected_attention import ProjectedAttention


class RotaryMultiHeadAttention(ProjectedAttention):
    """`MultiHeadAttention` of x to itself whose queries and keys are turned by their positions.

    Su et al. 2021, section 3.2. Positions are counted from the beginning of each row, so padding
    belongs at the end.
    """

    def attend(
        self,
        queries: Float[Tensor, "batch n_heads n d_k"],
        keys: Float[Tensor, "batch n_heads n d_k"],
        values: Float[Tensor, "batch n_heads n d_k"],
        mask: Bool[Tensor, "..."] | None,
    ) -> tuple[Float[Tensor, "batch n_heads n d_k"], Float[Tensor, "batch n_heads n n"]]:
        batch, _, n, _ = queries.shape
        places = torch.arange(n, device=queries.device).expand(batch, n)
        queries, keys = rotate(queries, places), rotate(keys, places)
        return attention(queries, keys, values, mask, self.dropout)
