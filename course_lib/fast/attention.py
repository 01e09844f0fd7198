"""The fast form of attention, by torch's fused kernel: same parameters, same results.

`FusedMultiHeadAttention` is a drop-in replacement for `MultiHeadAttention`, state dicts included.
With `need_weights` it runs the readable code, because a fused kernel never forms the weights.
"""

import math
from collections.abc import Callable

import torch
from jaxtyping import Bool, Float
from torch import Tensor
from torch.nn import functional as F

from ..attention import MultiHeadAttention, attention, merge_heads, split_heads
from .dropout import dropout_factor


def fused_attention(
    query: Float[Tensor, "*batch n_q d_k"],
    key: Float[Tensor, "*batch n_k d_k"],
    value: Float[Tensor, "*batch n_k d_v"],
    mask: Bool[Tensor, "..."] | None = None,
    dropout_p: float = 0.0,
) -> Float[Tensor, "*batch n_q d_v"]:
    """The output of `attention.attention`, to 1e-5, without its weights (§3.2.1, Eq. 1).

    Versions of torch differ on a row with every key masked (NaN or zeros), so such a row is
    unmasked for the kernel and its result replaced by zeros, with zero gradients. There is no fused
    kernel with dropout on a CPU, so there the weights are computed explicitly.
    """
    explicit = dropout_p > 0 and query.device.type == "cpu"
    form: Callable[..., Tensor] = _with_dropout if explicit else F.scaled_dot_product_attention
    if mask is None:
        return form(query, key, value, None, dropout_p)
    if mask.dtype != torch.bool:
        return attention(query, key, value, mask)[0]  # which says what to give
    opened = mask.any(dim=-1, keepdim=True)
    if query.device.type == "cpu" and opened.all():  # on a GPU, the check would synchronize
        return form(query, key, value, mask, dropout_p)
    output = form(query, key, value, mask | ~opened, dropout_p)
    return output.masked_fill(~opened, 0.0)


def _with_dropout(
    query: Tensor, key: Tensor, value: Tensor, mask: Tensor | None, dropout_p: float
) -> Tensor:
    """Attention by its formula; every row of `mask` has an unmasked key."""
    scores = (query / math.sqrt(query.shape[-1])) @ key.transpose(-2, -1)
    if mask is not None:  # adding costs a fifth of filling
        scores = scores + torch.zeros_like(mask, dtype=scores.dtype).masked_fill_(~mask, -math.inf)
    weights = torch.softmax(scores, dim=-1)
    return (weights * dropout_factor(weights, dropout_p)) @ value


class FusedMultiHeadAttention(MultiHeadAttention):
    """`MultiHeadAttention`, fused unless `need_weights` (§3.2.2)."""

    def forward(
        self,
        query: Float[Tensor, "batch n_q d_model"],
        key: Float[Tensor, "batch n_k d_model"],
        value: Float[Tensor, "batch n_k d_model"],
        mask: Bool[Tensor, "..."] | None = None,
        need_weights: bool = False,
    ) -> tuple[Float[Tensor, "batch n_q d_model"], Float[Tensor, "batch n_heads n_q n_k"] | None]:
        if need_weights or query.ndim != 3:  # the readable form says what is missing
            return super().forward(query, key, value, mask, need_weights)
        if query is key is value and self.w_q.out_features == self.w_v.out_features:
            queries, keys, values = self._project_once(query)
        else:
            queries = split_heads(self.w_q(query), self.n_heads)
            keys = split_heads(self.w_k(key), self.n_heads)
            values = split_heads(self.w_v(value), self.n_heads)
        dropout_p = self.dropout.p if self.training else 0.0
        heads = fused_attention(queries, keys, values, mask, dropout_p)
        return self.w_o(merge_heads(heads)), None

    def _project_once(self, x: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        """Queries, keys and values of self-attention by one matrix product, head by head."""
        layers = (self.w_q, self.w_k, self.w_v)
        weight = torch.cat([layer.weight for layer in layers])
        bias = None if self.w_q.bias is None else torch.cat([layer.bias for layer in layers])
        batch, n, _ = x.shape
        packed = F.linear(x, weight, bias).view(batch, n, 3, self.n_heads, -1)
        queries, keys, values = packed.permute(2, 0, 3, 1, 4).contiguous().unbind(0)
        return queries, keys, values
