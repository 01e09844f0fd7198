"""Multi-head self-attention that keeps the keys and values of earlier positions.

A decoder reads one new token at a time. The keys and values of the earlier ones stay what they
were, so they are kept: the layer around the attention does not notice.
"""

from dataclasses import dataclass

import torch
from jaxtyping import Bool, Float, Int
from torch import Tensor

from ..attention import attention
from ..positions import rotate
from .projected_attention import ProjectedAttention


@dataclass
class KeysAndValues:
    """The keys and values that one attention has read so far; empty at first."""

    keys: Float[Tensor, "batch n_heads n d_k"] | None = None
    values: Float[Tensor, "batch n_heads n d_k"] | None = None

    def extend(self, keys: Tensor, values: Tensor) -> tuple[Tensor, Tensor]:
        """All keys and values, with these at the end."""
        if self.keys is not None and self.values is not None:
            keys = torch.cat([self.keys, keys], dim=2)
            values = torch.cat([self.values, values], dim=2)
        self.keys, self.values = keys, values
        return keys, values

    def keep(self, rows: Int[Tensor, " rows"]) -> None:
        """Keep these rows of the batch, in this order."""
        if self.keys is not None and self.values is not None:
            self.keys, self.values = self.keys[rows], self.values[rows]


class CachedAttention(ProjectedAttention):
    """Multi-head attention (§3.2.2) of x to itself, with rotary positions if `positions` are set.

    `positions` (batch, n) are those of the rows of x, `cache` what was read before; both belong to
    one call of a model, which sets them. The mask is that of the new queries and all keys.
    """

    positions: Int[Tensor, "batch n"] | None = None
    cache: KeysAndValues | None = None

    def attend(
        self,
        queries: Float[Tensor, "batch n_heads n d_k"],
        keys: Float[Tensor, "batch n_heads n d_k"],
        values: Float[Tensor, "batch n_heads n d_k"],
        mask: Bool[Tensor, "..."] | None,
    ) -> tuple[Float[Tensor, "batch n_heads n d_k"], Float[Tensor, "batch n_heads n n_all"]]:
        """`(heads, weights)`: the new queries attend to all keys, the new ones at the end."""
        if self.positions is not None:
            queries, keys = rotate(queries, self.positions), rotate(keys, self.positions)
        if self.cache is not None:
            keys, values = self.cache.extend(keys, values)
        return attention(queries, keys, values, mask, self.dropout)
