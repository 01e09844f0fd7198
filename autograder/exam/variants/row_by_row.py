"""The heads of task 1 as slices; layer normalization by hand in task 2."""

import torch
from torch import nn


def split_heads(x, n_heads):
    if x.shape[2] % n_heads != 0:
        raise ValueError(f"{x.shape[2]} is not a multiple of {n_heads}")
    return torch.stack(torch.chunk(x, n_heads, dim=2), dim=1)


def merge_heads(x):
    return torch.cat([x[:, head] for head in range(x.shape[1])], dim=2)


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
