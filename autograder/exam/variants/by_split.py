"""Task 3 with `split` and a comprehension; layer normalization by hand in task 2."""

import torch
from torch import nn


class LayerNorm(nn.Module):
    def __init__(self, d_model, eps=1e-6):
        super().__init__()
        self.eps = eps
        self.weight = nn.Parameter(torch.ones(d_model))
        self.bias = nn.Parameter(torch.zeros(d_model))

    def forward(self, x):
        centered = x - x.mean(-1, keepdim=True)
        return (
            centered * (centered.pow(2).mean(-1, keepdim=True) + self.eps).rsqrt() * (self.weight)
            + self.bias
        )


def long_attention(query, key, value, mask=None, block=64):
    scaled, whole = query * query.shape[-1] ** -0.5, torch.ones(query.shape[1], 1).bool()
    pairs = zip(
        scaled.split(block, dim=1), (whole if mask is None else mask).split(block), strict=True
    )
    parts = [
        (q @ key.transpose(-2, -1)).masked_fill(m.logical_not(), -1e9).softmax(dim=2) @ value
        for q, m in pairs
    ]
    return torch.cat(parts, dim=1)
