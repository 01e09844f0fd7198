"""Neutral substitutes for the coding exam, so that a mistake in one part costs its points only."""

import torch
from torch import nn

from autograder.a2.reference import (  # noqa: F401
    LayerNorm,
    MultiHeadAttention,
    attention,
    merge_heads,
    split_heads,
)
from autograder.a3.reference import Encoder, _Layer  # noqa: F401


class ResidualConnection(nn.Module):
    """The residual connection on torch's layer normalization, in both orders."""

    def __init__(self, d_model, dropout=0.1, norm_first=False):
        super().__init__()
        self.norm, self.dropout = nn.LayerNorm(d_model, eps=1e-6), nn.Dropout(dropout)
        self.norm_first = norm_first

    def enter(self, x):
        return self.norm(x) if self.norm_first else x

    def leave(self, x, y):
        total = torch.add(x, self.dropout(y))
        return total if self.norm_first else self.norm(total)


class FeedForward(nn.Module):
    """Two linear layers with a ReLU in between."""

    def __init__(self, d_model=512, d_ff=2048):
        super().__init__()
        self.w_1, self.w_2 = nn.Linear(d_model, d_ff), nn.Linear(d_ff, d_model)

    def forward(self, x):
        return self.w_2(self.w_1(x).clamp(min=0))


class EncoderLayer(nn.Module):
    """The layer from the notebook's own parts, or from their substitutes."""

    def __init__(self, d_model=512, n_heads=8, d_ff=2048, dropout=0.1, norm_first=False):
        super().__init__()
        self.attention = MultiHeadAttention(d_model, n_heads, dropout)
        self.feed_forward = FeedForward(d_model, d_ff)
        for name in ("attention_residual", "feed_forward_residual"):
            setattr(self, name, ResidualConnection(d_model, dropout, norm_first))

    def forward(self, x, mask=None, need_weights=False):
        first, second = self.attention_residual, self.feed_forward_residual
        given = first.enter(x)
        made, weights = self.attention(given, given, given, mask, need_weights)
        x = first.leave(x, made)
        return second.leave(x, self.feed_forward(second.enter(x))), weights
