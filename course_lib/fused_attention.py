"""The fast form of attention, over torch's fused kernel: same parameters, same results.

`FusedMultiHeadAttention` stands wherever `MultiHeadAttention` does; state dicts fit both. When the
weights are asked for it is the readable module, because a fused kernel never forms them.
"""

from jaxtyping import Bool, Float
from torch import Tensor
from torch.nn import functional as F

from .attention import MultiHeadAttention, merge_heads, split_heads


def fused_attention(
    query: Float[Tensor, "*batch n_q d_k"],
    key: Float[Tensor, "*batch n_k d_k"],
    value: Float[Tensor, "*batch n_k d_v"],
    mask: Bool[Tensor, "..."] | None = None,
    dropout_p: float = 0.0,
) -> Float[Tensor, "*batch n_q d_v"]:
    """The output of `attention.attention`, to 1e-5, without its weights (§3.2.1, Eq. 1).

    Versions of torch differ on a row with every key masked (NaN or zeros), so such a row is
    opened for the kernel and its result replaced by zeros, with zero gradients.
    """
    if mask is None:
        return F.scaled_dot_product_attention(query, key, value, dropout_p=dropout_p)
    closed = ~mask.any(dim=-1, keepdim=True)
    output = F.scaled_dot_product_attention(query, key, value, mask | closed, dropout_p)
    return output.masked_fill(closed, 0.0)


class FusedMultiHeadAttention(MultiHeadAttention):
    """`MultiHeadAttention`, fused whenever nobody needs the weights (§3.2.2)."""

    def forward(
        self,
        query: Float[Tensor, "batch n_q d_model"],
        key: Float[Tensor, "batch n_k d_model"],
        value: Float[Tensor, "batch n_k d_model"],
        mask: Bool[Tensor, "..."] | None = None,
        need_weights: bool = False,
    ) -> tuple[Float[Tensor, "batch n_q d_model"], Float[Tensor, "batch n_heads n_q n_k"] | None]:
        if need_weights:
            return super().forward(query, key, value, mask, need_weights=True)
        heads = fused_attention(
            split_heads(self.w_q(query), self.n_heads),
            split_heads(self.w_k(key), self.n_heads),
            split_heads(self.w_v(value), self.n_heads),
            mask,
            self.dropout.p if self.training else 0.0,
        )
        return self.w_o(merge_heads(heads)), None
