"""Multi-head self-attention that keeps the keys and values of earlier positions.

A decoder reads one new token at a time. The keys and values of the earlier ones stay what they
were, so they are kept: the layer around the attention does not notice.
"""

from dataclasses import dataclass

import torch
from jaxtyping import Bool, Float, Int
from torch import Tensor

from ..attention import MultiHeadAttention, attention, merge_heads, split_heads
from ..positions import rotate


@dataclass
class KeysAndValues:
    """What one attention has read so far; empty at first."""

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


class CachedAttention(MultiHeadAttention):
    """`MultiHeadAttention` (§3.2.2) of x to itself, with rotary positions if `positions` are set.

    `positions` (batch, n) are those of the rows of x, `cache` what was read before; both belong to
    one call of a model, which sets them. The mask is that of the new queries and all keys.
    """

    positions: Int[Tensor, "batch n"] | None = None
    cache: KeysAndValues | None = None

    def forward(
        self,
        query: Float[Tensor, "batch n d_model"],
        key: Float[Tensor, "batch n d_model"],
        value: Float[Tensor, "batch n d_model"],
        mask: Bool[Tensor, "..."] | None = None,
        need_weights: bool = False,
    ) -> tuple[Float[Tensor, "batch n d_model"], Float[Tensor, "batch n_heads n n_k"] | None]:
        """`(output, weights)`, or `(output, None)` without `need_weights`."""
        queries = split_heads(self.w_q(query), self.n_heads)
        keys = split_heads(self.w_k(key), self.n_heads)
        values = split_heads(self.w_v(value), self.n_heads)
        if self.positions is not None:
            queries, keys = rotate(queries, self.positions), rotate(keys, self.positions)
        if self.cache is not None:
            keys, values = self.cache.extend(keys, values)
        heads, weights = attention(queries, keys, values, mask, self.dropout)
        return self.w_o(merge_heads(heads)), weights if need_weights else None
