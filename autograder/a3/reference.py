"""Neutral substitutes for assignment 3: the names of the starter, in plain tensor operations.

When a test fails because an earlier exercise is wrong, it is run again with the definition of that
name from here. What a definition shares with another begins with an underscore and is sent along;
none uses what an exercise that rests on it forbids.
"""

import math

import torch
from torch import nn

from course_lib.attention import MultiHeadAttention


def sinusoidal_positions(n_positions, d_model):
    """The table, feature by feature, computed in double precision."""
    position = torch.arange(n_positions, dtype=torch.float64)
    waves = [
        (torch.cos if feature % 2 else torch.sin)(
            position / 10000.0 ** ((feature - feature % 2) / d_model)
        )
        for feature in range(d_model)
    ]
    return torch.stack(waves, dim=-1).float()


def padding_mask(token_ids, pad_id=0):
    """True at real tokens, (batch, 1, 1, n)."""
    return token_ids.ne(pad_id).unsqueeze(1).unsqueeze(1)


class TransformerEmbedding(nn.Module):
    """Embeddings × √d_model + positions, with a table computed for each length."""

    def __init__(
        self, vocab_size, d_model, dropout=0.1, pad_id=0, max_length=512, position_scale=1.0
    ):
        super().__init__()
        self.position_scale = position_scale
        self.tokens = nn.Embedding(vocab_size, d_model, padding_idx=pad_id)
        nn.init.normal_(self.tokens.weight, std=d_model**-0.5)
        with torch.no_grad():
            self.tokens.weight[pad_id] = 0.0
        self.dropout = nn.Dropout(dropout)

    def forward(self, token_ids):
        d_model = self.tokens.embedding_dim
        feature = torch.arange(d_model, dtype=torch.float64)
        place = torch.arange(token_ids.shape[1], dtype=torch.float64)[:, None]
        angle = place / 10000.0 ** ((feature - feature % 2) / d_model)
        table = torch.where(feature % 2 == 0, angle.sin(), angle.cos())
        x = self.tokens(token_ids) * math.sqrt(d_model)
        return self.dropout(x + self.position_scale * table.to(x))


class FeedForward(nn.Module):
    """Two linear layers with a ReLU in between."""

    def __init__(self, d_model=512, d_ff=2048):
        super().__init__()
        self.w_1, self.w_2 = nn.Linear(d_model, d_ff), nn.Linear(d_ff, d_model)

    def forward(self, x):
        return self.w_2(self.w_1(x).clamp(min=0))


class _Layer(nn.Module):
    """An encoder layer, alone or inside of a stack, with parts under the names of the starter."""

    def __init__(self, d_model=512, n_heads=8, d_ff=2048, dropout=0.1, norm_first=False):
        super().__init__()
        self.attention = MultiHeadAttention(d_model, n_heads, dropout)
        self.feed_forward = nn.ModuleDict(
            {"w_1": nn.Linear(d_model, d_ff), "w_2": nn.Linear(d_ff, d_model)}
        )
        for name in ("attention_residual", "feed_forward_residual"):
            parts = {"norm": nn.LayerNorm(d_model, eps=1e-6), "dropout": nn.Dropout(dropout)}
            setattr(self, name, nn.ModuleDict(parts))
        self.norm_first = norm_first

    def forward(self, x, mask=None, need_weights=False):
        first, second = self.attention_residual, self.feed_forward_residual
        given = first["norm"](x) if self.norm_first else x
        made, weights = self.attention(given, given, given, mask, need_weights)
        x = x + first["dropout"](made)
        x = x if self.norm_first else first["norm"](x)
        given = second["norm"](x) if self.norm_first else x
        made = self.feed_forward["w_2"](self.feed_forward["w_1"](given).clamp(min=0))
        x = x + second["dropout"](made)
        return x if self.norm_first else second["norm"](x), weights


class EncoderLayer(_Layer):
    """Self-attention and a feed-forward network, in post-norm or pre-norm order."""


class Encoder(nn.Module):
    """A stack of independent layers, with a last norm in pre-norm order."""

    def __init__(
        self, n_layers=6, d_model=512, n_heads=8, d_ff=2048, dropout=0.1, norm_first=False
    ):
        super().__init__()
        sizes = (d_model, n_heads, d_ff, dropout, norm_first)
        self.layers = nn.ModuleList(_Layer(*sizes) for _ in range(n_layers))
        self.norm = nn.LayerNorm(d_model, eps=1e-6) if norm_first else nn.Identity()

    def forward(self, x, mask=None, need_weights=False):
        weights = []
        for layer in self.layers:
            x, seen = layer(x, mask, need_weights)
            weights.append(seen)
        return self.norm(x), weights if need_weights else None


def warmup_rate(step, d_model, warmup_steps=4000):
    """Eq. 3 in two branches."""
    if step < 1:
        raise ValueError(f"step {step}")
    rising = step < warmup_steps
    return (step * warmup_steps**-1.5 if rising else step**-0.5) / math.sqrt(d_model)


def WarmupSchedule(optimizer, d_model, warmup_steps=4000):
    """Eq. 3 as a scheduler that multiplies the optimizer's own rates."""
    return torch.optim.lr_scheduler.LambdaLR(
        optimizer,
        lambda done: d_model**-0.5 * min((done + 1) ** -0.5, (done + 1) * warmup_steps**-1.5),
    )


def masked_mean(x, mask):
    """The mean of each sentence's real tokens, one sentence after another."""
    real = mask.flatten(1)
    rows = [
        row[own].mean(0) if own.any() else row.new_zeros(row.shape[1])
        for row, own in zip(x, real, strict=True)
    ]
    return torch.stack(rows)
