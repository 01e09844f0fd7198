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
    projections are called `w_q`, `w_k`, `w_v`, `w_o`. In training mode the returned weights are
    torch's, after dropout.
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
        # torch expects tokens first and a mask for each head of each example, True = blocked, and
        # gives NaN for a query without keys: unmask such rows here and zero them below
        d_model, empty, blocked = query.shape[-1], None, None
        if mask is not None:
            mask = mask.expand(len(query), self.n_heads, query.shape[1], key.shape[1])
            empty = ~mask.any(dim=-1, keepdim=True)
            blocked = ~(mask | empty).flatten(0, 1)
        bias = self.w_q.bias
        if bias is not None:
            bias = torch.cat([self.w_q.bias, self.w_k.bias, self.w_v.bias])
        heads, weights = F.multi_head_attention_forward(
            *(x.transpose(0, 1) for x in (query, key, value)),
            embed_dim_to_check=d_model,
            num_heads=self.n_heads,
            in_proj_weight=None,
            in_proj_bias=bias,
            bias_k=None,
            bias_v=None,
            add_zero_attn=False,
            dropout_p=self.dropout.p,
            out_proj_weight=torch.eye(d_model, dtype=query.dtype, device=query.device),
            out_proj_bias=None,
            training=self.training,
            need_weights=need_weights,
            attn_mask=blocked,
            use_separate_proj_weight=True,
            q_proj_weight=self.w_q.weight,
            k_proj_weight=self.w_k.weight,
            v_proj_weight=self.w_v.weight,
            average_attn_weights=False,
        )
        heads = heads.transpose(0, 1)
        if empty is not None:
            by_head = heads.unflatten(-1, (self.n_heads, -1))
            heads = by_head.masked_fill(empty.transpose(1, 2), 0.0).flatten(2)
            weights = None if weights is None else weights.masked_fill(empty, 0.0)
        return self.w_o(heads), weights
