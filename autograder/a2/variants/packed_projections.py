"""Style: one packed projection of query, key and value at run time; functional calls."""

import torch
import torch.nn.functional as F
from torch import nn


class MultiHeadAttention(nn.Module):
    def __init__(self, d_model=512, n_heads=8, dropout=0.1, bias=True):
        if d_model % n_heads:
            raise ValueError(f"{n_heads} heads do not divide {d_model}")
        super().__init__()
        layers = {f"w_{name}": nn.Linear(d_model, d_model, bias=bias) for name in "qkvo"}
        for name, layer in layers.items():
            nn.init.xavier_uniform_(layer.weight)
            setattr(self, name, layer)
        self.d_model, self.n_heads, self.dropout = d_model, n_heads, dropout

    def packed(self):
        layers = (self.w_q, self.w_k, self.w_v)
        weight = torch.cat([layer.weight for layer in layers])
        bias = None if self.w_q.bias is None else torch.cat([layer.bias for layer in layers])
        return weight, bias

    def forward(self, query, key, value, mask=None, need_weights=False):
        weight, bias = self.packed()
        lengths = [x.shape[1] for x in (query, key, value)]
        everything = F.linear(torch.cat([query, key, value], dim=1), weight, bias)
        parts = everything.split(lengths, dim=1)
        q, k, v = (
            part.chunk(3, dim=-1)[i].unflatten(-1, (self.n_heads, -1)).transpose(1, 2)
            for i, part in enumerate(parts)
        )
        drop = (lambda w: F.dropout(w, self.dropout)) if self.training else None
        heads, weights = attention(q, k, v, mask, drop)
        self.last_weights = weights.detach()
        output = self.w_o(heads.transpose(1, 2).flatten(-2))
        return output, (weights if need_weights else None)


def to_torch_mask(mask, n_heads):
    match mask.shape:
        case (_, _):
            return torch.logical_not(mask)
        case (batch, heads, n_q, n_k):
            repeated = mask.repeat_interleave(n_heads // heads, dim=1)
            return torch.logical_not(repeated).view(batch * n_heads, n_q, n_k)
    raise ValueError(f"a mask of {mask.dim()} dimensions")
