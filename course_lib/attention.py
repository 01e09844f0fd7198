"""Multi-head attention in PyTorch: the readable form, which can return its weights.

The whole course uses one mask convention: boolean, True = this query may attend to this key,
broadcastable to `(batch, heads, queries, keys)`. A query with every key masked gets zeros.
`fast.attention.FusedMultiHeadAttention` is the fast equivalent.

Paper statements R14, R15, R16, R18, R19, R20, R21, R24, R28, R30, R56 (lectures/paper_audit.md).
"""

import math
from collections.abc import Callable

import torch
from jaxtyping import Bool, Float
from torch import Tensor, nn


def attention(
    query: Float[Tensor, "*batch n_q d_k"],
    key: Float[Tensor, "*batch n_k d_k"],
    value: Float[Tensor, "*batch n_k d_v"],
    mask: Bool[Tensor, "..."] | None = None,
    dropout: Callable[[Tensor], Tensor] | None = None,
) -> tuple[Float[Tensor, "*batch n_q d_v"], Float[Tensor, "*batch n_q n_k"]]:
    """Scaled dot-product attention (§3.2.1): `(output, weights)`.

    `mask` is True where a query may attend. `dropout` is applied to the weights before they
    multiply the values; the returned weights are those before dropout. A row with every key masked
    gives zero weights, a zero output and finite gradients.
    Raises ValueError, naming both shapes, when two arguments are incompatible.
    """
    _check_shapes(query, key, value, mask)
    # §3.2.1, Eq. 1 — QKᵀ / √d_k
    scores = query @ key.transpose(-2, -1) / math.sqrt(query.shape[-1])
    if mask is not None:
        # §3.2.3 — "setting to −∞": the lowest finite number, because −∞ − (−∞) is NaN
        scores = scores.masked_fill(~mask, torch.finfo(scores.dtype).min)
    # §3.2.1, Eq. 1 — softmax over the keys
    weights = torch.softmax(scores, dim=-1)
    if mask is not None:
        weights = weights.masked_fill(~mask, 0.0)
    # §3.2.1, Eq. 1 — the weights times V
    output = (weights if dropout is None else dropout(weights)) @ value
    return output, weights


def _check_shapes(query: Tensor, key: Tensor, value: Tensor, mask: Tensor | None) -> None:
    """Raise ValueError when arguments of `attention` do not fit; names both shapes, or the type."""
    q, k, v = tuple(query.shape), tuple(key.shape), tuple(value.shape)
    if q[-1] != k[-1]:
        raise ValueError(f"query {q} and key {k} must have the same last dimension, d_k")
    if k[-2] != v[-2]:
        raise ValueError(f"key {k} and value {v} must have the same number of rows, n_k")
    if mask is not None:
        scores, given = (*q[:-1], k[-2]), tuple(mask.shape)
        pairs = zip(reversed(given), reversed(scores), strict=False)
        if len(given) > len(scores) or any(size not in (1, expected) for size, expected in pairs):
            raise ValueError(f"a mask {given} does not broadcast to the scores {scores}")
        if mask.dtype != torch.bool:
            raise ValueError(
                f"a mask of {mask.dtype}: give a boolean one, True = may attend; write `mask == 0` "
                "for torch's float masks, 0 or −∞, and `mask != 0` for ones and zeros"
            )


def split_heads(
    x: Float[Tensor, "batch n d_model"], n_heads: int
) -> Float[Tensor, "batch n_heads n d_k"]:
    """Split the features among the heads (§3.2.2): head i gets features i·d_k to (i+1)·d_k − 1.

    Raises ValueError when `n_heads` does not divide the number of features, or an axis is missing.
    """
    if x.ndim != 3:
        raise ValueError(f"{tuple(x.shape)} is not (batch, n, d_model): x[None] is a batch of one")
    batch, n, d_model = x.shape
    if n_heads < 1 or d_model % n_heads:
        raise ValueError(f"{d_model} features cannot be divided among {n_heads} heads equally")
    # §3.2.2 — d_k = d_model / h
    return x.reshape(batch, n, n_heads, d_model // n_heads).transpose(1, 2)


def merge_heads(
    x: Float[Tensor, "batch n_heads n d_k"],
) -> Float[Tensor, "batch n d_model"]:
    """Concatenate the heads' features (§3.2.2): the inverse of `split_heads`."""
    batch, n_heads, n, d_k = x.shape
    # §3.2.2 — Concat(head₁, …, head_h)
    return x.transpose(1, 2).reshape(batch, n, n_heads * d_k)


class MultiHeadAttention(nn.Module):
    """Multi-head attention (§3.2.2): h attentions side by side, each over d_model / h features.

    Each projection is one `nn.Linear` for all heads: `w_q`, `w_k`, `w_v`, `w_o`.
    Raises ValueError when `n_heads` does not divide `d_model`.
    """

    def __init__(
        self, d_model: int = 512, n_heads: int = 8, dropout: float = 0.1, bias: bool = True
    ) -> None:
        super().__init__()
        if n_heads < 1 or d_model % n_heads:
            raise ValueError(f"d_model = {d_model} must be a multiple of n_heads = {n_heads}")
        self.n_heads = n_heads
        # §3.2.2 — W_i^Q, W_i^K, W_i^V of all heads side by side, and W^O
        self.w_q = nn.Linear(d_model, d_model, bias=bias)
        self.w_k = nn.Linear(d_model, d_model, bias=bias)
        self.w_v = nn.Linear(d_model, d_model, bias=bias)
        self.w_o = nn.Linear(d_model, d_model, bias=bias)
        self.dropout = nn.Dropout(dropout)

    def forward(
        self,
        query: Float[Tensor, "batch n_q d_model"],
        key: Float[Tensor, "batch n_k d_model"],
        value: Float[Tensor, "batch n_k d_model"],
        mask: Bool[Tensor, "..."] | None = None,
        need_weights: bool = False,
    ) -> tuple[Float[Tensor, "batch n_q d_model"], Float[Tensor, "batch n_heads n_q n_k"] | None]:
        """`(output, weights)`, or `(output, None)` without `need_weights`.

        `mask` is broadcastable to `(batch, heads, queries, keys)`, True = may attend.
        """
        # §3.2.2 — Q W^Q, K W^K, V W^V, split among the heads
        queries = split_heads(self.w_q(query), self.n_heads)
        keys = split_heads(self.w_k(key), self.n_heads)
        values = split_heads(self.w_v(value), self.n_heads)
        # §3.2.2 — head_i = Attention(Q W_i^Q, K W_i^K, V W_i^V)
        heads, weights = attention(queries, keys, values, mask, self.dropout)
        # §3.2.2 — MultiHead(Q, K, V) = Concat(head₁, …, head_h) W^O
        output = self.w_o(merge_heads(heads))
        return output, weights if need_weights else None
