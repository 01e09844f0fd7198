"""Embeddings with positions, backed by torch until assignment 3 is over."""

import math

import torch
from torch import nn

from .positions import sinusoidal_positions


class TransformerEmbedding(nn.Module):
    """Token embeddings × √d_model, plus sinusoidal positions, then dropout (§3.4, §3.5, §5.4).

    The parts are called `tokens`, `positions` (a non-persistent buffer) and `dropout`. The table of
    positions grows for inputs longer than `max_length`.
    """

    def __init__(
        self, vocab_size, d_model, dropout=0.1, pad_id=0, max_length=512, position_scale=1.0
    ):
        super().__init__()
        self.tokens = nn.Embedding(vocab_size, d_model, padding_idx=pad_id)
        nn.init.normal_(self.tokens.weight, std=d_model**-0.5)
        nn.init.zeros_(self.tokens.weight[pad_id])
        self.position_scale = position_scale
        self.register_buffer("positions", self.table(max_length), persistent=False)
        self.dropout = nn.Dropout(dropout)

    def table(self, n_positions):
        """The sinusoids × `position_scale` (1.0 in the paper), on the tokens' device."""
        table = sinusoidal_positions(n_positions, self.tokens.embedding_dim)
        return self.position_scale * table.to(self.tokens.weight)

    def forward(self, token_ids):
        if len(self.positions) < token_ids.shape[1]:
            self.positions = self.table(token_ids.shape[1])
        factor = math.sqrt(self.tokens.embedding_dim)
        positions = self.positions.narrow(0, 0, token_ids.shape[1])
        return self.dropout(torch.add(positions, self.tokens(token_ids), alpha=factor))
