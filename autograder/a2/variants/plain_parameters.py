"""Style: own modules and parameters for nn.Linear and nn.Dropout; scale and ε in buffers."""

import math

import torch
from torch import nn


class Affine(nn.Module):
    """x Wᵀ + b."""

    def __init__(self, n_in, n_out, bias=True):
        super().__init__()
        self.weight = nn.Parameter(torch.randn(n_out, n_in) / math.sqrt(n_in))
        self.register_parameter("bias", nn.Parameter(torch.zeros(n_out)) if bias else None)

    def forward(self, x):
        y = x @ self.weight.T
        return y if self.bias is None else y + self.bias


class MultiHeadAttention(nn.Module):
    def __init__(
        self, d_model: int = 512, n_heads: int = 8, dropout: float = 0.1, bias: bool = True
    ):
        super().__init__()
        if d_model % n_heads:
            raise ValueError(f"{d_model} % {n_heads}")
        self.heads = n_heads
        self.rate = dropout
        self.register_buffer("scale", torch.tensor((d_model // n_heads) ** -0.5))
        self.w_q = Affine(d_model, d_model, bias)
        self.w_k = Affine(d_model, d_model, bias)
        self.w_v = Affine(d_model, d_model, bias)
        self.w_o = Affine(d_model, d_model, bias)

    def forward(self, query, key, value, mask=None, need_weights=False):
        b, n_q, d = query.shape
        n_k, h = key.shape[1], self.heads
        # batch and heads in one axis, as in torch's own code
        q = self.w_q(query).view(b, n_q, h, d // h).transpose(1, 2).reshape(b * h, n_q, d // h)
        k = self.w_k(key).view(b, n_k, h, d // h).transpose(1, 2).reshape(b * h, n_k, d // h)
        v = self.w_v(value).view(b, n_k, h, d // h).transpose(1, 2).reshape(b * h, n_k, d // h)
        scores = torch.bmm(self.scale * q, k.mT).view(b, h, n_q, n_k)
        if mask is not None:
            scores = scores.masked_fill(~mask, torch.finfo(scores.dtype).min)
        weights = scores.softmax(-1)
        if mask is not None:
            weights = weights.masked_fill(~mask, 0)
        dropped = weights
        if self.training and self.rate:
            dropped = weights * (torch.rand_like(weights) >= self.rate) / (1 - self.rate)
        heads = torch.bmm(dropped.reshape(b * h, n_q, n_k), v).view(b, h, n_q, d // h)
        output = self.w_o(heads.permute(0, 2, 1, 3).reshape(b, n_q, d))
        return output, weights if need_weights else None


class LayerNorm(nn.Module):
    def __init__(self, d_model, eps=1e-6):
        super().__init__()
        self.weight = nn.Parameter(torch.ones(d_model))
        self.bias = nn.Parameter(torch.zeros(d_model))
        self.register_buffer("eps", torch.tensor(eps))

    def forward(self, x):
        centered = x - x.mean(-1, keepdim=True)
        scale = torch.rsqrt(centered.square().mean(-1, keepdim=True) + self.eps)
        return self.weight * centered * scale + self.bias


class ResidualConnection(nn.Module):
    def __init__(self, d_model, dropout=0.1, norm_first=False):
        super().__init__()
        self.rate, self.norm_first = dropout, norm_first
        self.n = LayerNorm(d_model)

    def thinned(self, y):
        if not self.training:
            return y
        return torch.where(torch.rand_like(y) < self.rate, 0.0, y / (1 - self.rate))

    def enter(self, x):
        return self.n(x) if self.norm_first else x.clone()

    def leave(self, x, y):
        after = (lambda y: y) if self.norm_first else self.n
        return after(self.thinned(y) + x)


def parameter_counts(d_model, n_heads, bias=True, d_k=None):
    d_k = d_model / n_heads if d_k is None else d_k
    matrices = {"q": (d_model, d_k), "k": (d_model, d_k), "v": (d_model, d_k)}
    per_head = sum(rows * columns for rows, columns in matrices.values())
    weights = round(n_heads * per_head + n_heads * d_k * d_model)
    return [weights, round(n_heads * d_k * 3 + d_model) if bias else 0]
