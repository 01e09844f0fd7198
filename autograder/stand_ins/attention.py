"""Multi-head attention, backed by torch until assignment 2 is over."""

import torch
from torch import nn
from torch.nn import functional as F


def attention(query, key, value, mask=None, dropout=None):
    """Scaled dot-product attention (§3.2.1): `(output, weights)`, the weights before `dropout`.

    `mask` is True where a query may attend; a query with no key to attend to gets zeros.
    """
    # torch returns no weights, but with the identity as values its output is the weights
    one = torch.eye(key.shape[-2], dtype=query.dtype, device=query.device)
    one = one.expand(*key.shape[:-2], -1, -1)
    weights = F.scaled_dot_product_attention(query, key, one, attn_mask=mask).nan_to_num()
    kept = weights if dropout is None else dropout(weights)
    return torch.einsum("...qk,...kv->...qv", kept, value), weights


class MultiHeadAttention(nn.Module):
    """Multi-head attention (§3.2.2); `forward` returns `(output, weights)` or `(output, None)`.

    `mask` is boolean, True = may attend, and broadcasts to `(batch, heads, queries, keys)`. The
    projections are called `w_q`, `w_k`, `w_v`, `w_o`; the weights are those before `dropout`.
    Raises ValueError if `n_heads` does not divide `d_model`.
    """

    def __init__(self, d_model=512, n_heads=8, dropout=0.1, bias=True):
        if d_model % n_heads:
            raise ValueError(f"d_model = {d_model} must be a multiple of n_heads = {n_heads}")
        super().__init__()
        self.dropout, self.n_heads = nn.Dropout(dropout), n_heads
        for name in ("w_q", "w_k", "w_v", "w_o"):
            setattr(self, name, nn.Linear(d_model, d_model, bias=bias))

    def forward(self, query, key, value, mask=None, need_weights=False):
        weights = self._weights(query, key, mask)
        values = self.w_v(value).unflatten(-1, (self.n_heads, -1))
        heads = torch.einsum("bhqk,bkhd->bqhd", self.dropout(weights), values)
        return self.w_o(heads.flatten(2)), weights if need_weights else None

    def _weights(self, query, key, mask):
        # torch expects tokens first and a mask for each head of each example, True = blocked, and
        # gives NaN for a query without keys: unmask such rows here and zero them below
        d_model, empty, blocked = query.shape[-1], None, None
        if mask is not None:
            mask = mask.expand(len(query), self.n_heads, query.shape[1], key.shape[1])
            empty = ~mask.any(dim=-1, keepdim=True)
            blocked = ~(mask | empty).flatten(0, 1)
        bias = self.w_q.bias
        if bias is not None:
            bias = torch.cat([self.w_q.bias, self.w_k.bias, self.w_k.bias])
        query, key = query.transpose(0, 1), key.transpose(0, 1)
        _, weights = F.multi_head_attention_forward(
            *(query, key, key),  # its output is not used: its dropout draws other random numbers
            embed_dim_to_check=d_model,
            num_heads=self.n_heads,
            in_proj_weight=None,
            in_proj_bias=bias,
            bias_k=None,
            bias_v=None,
            add_zero_attn=False,
            dropout_p=0.0,
            out_proj_weight=torch.eye(d_model, dtype=query.dtype, device=query.device),
            out_proj_bias=None,
            attn_mask=blocked,
            use_separate_proj_weight=True,
            q_proj_weight=self.w_q.weight,
            k_proj_weight=self.w_k.weight,
            v_proj_weight=self.w_k.weight,
            average_attn_weights=False,
        )
        return weights if empty is None else weights.masked_fill(empty, 0.0)
