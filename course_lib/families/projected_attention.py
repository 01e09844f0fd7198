"""Multi-head attention whose kinds differ between the projections: see `attend`."""

from jaxtyping import Bool, Float
from torch import Tensor

from ..attention import MultiHeadAttention, attention, merge_heads, split_heads


class ProjectedAttention(MultiHeadAttention):
    """`MultiHeadAttention` (§3.2.2) in three steps; a subclass has an `attend` of its own."""

    def forward(
        self,
        query: Float[Tensor, "batch n_q d_model"],
        key: Float[Tensor, "batch n_k d_model"],
        value: Float[Tensor, "batch n_k d_model"],
        mask: Bool[Tensor, "..."] | None = None,
        need_weights: bool = False,
    ) -> tuple[Float[Tensor, "batch n_q d_model"], Float[Tensor, "batch n_heads n_q n"] | None]:
        """`(output, weights)`, or `(output, None)` without `need_weights`."""
        pairs = (self.w_q, query), (self.w_k, key), (self.w_v, value)
        queries, keys, values = (split_heads(layer(x), self.n_heads) for layer, x in pairs)
        heads, weights = self.attend(queries, keys, values, mask)
        return self.w_o(merge_heads(heads)), weights if need_weights else None

    def attend(
        self,
        queries: Float[Tensor, "batch n_heads n_q d_k"],
        keys: Float[Tensor, "batch n_heads n_k d_k"],
        values: Float[Tensor, "batch n_heads n_k d_k"],
        mask: Bool[Tensor, "..."] | None,
    ) -> tuple[Float[Tensor, "batch n_heads n_q d_k"], Float[Tensor, "batch n_heads n_q n"]]:
        """`(heads, weights)` of what is projected and split; n may be more than n_k (a cache)."""
        return attention(queries, keys, values, mask, self.dropout)
