"""Neutral substitutes for the coding exam, so that a mistake in one part costs its points only."""

from torch import nn

from autograder.a2.reference import (  # noqa: F401
    LayerNorm,
    MultiHeadAttention,
    ResidualConnection,
    attention,
    merge_heads,
    split_heads,
)


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
