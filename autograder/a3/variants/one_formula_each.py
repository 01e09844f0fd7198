"""Style: matrix products in place of look-ups, masks and counts."""

import math

import numpy as np
import torch
from torch import nn


class TransformerEmbedding(nn.Module):
    """One-hot vectors times a matrix, which is what an embedding is."""

    def __init__(
        self, vocab_size, d_model, dropout=0.1, pad_id=0, max_length=512, position_scale=1.0
    ):
        super().__init__()
        self.tokens = nn.Embedding(vocab_size, d_model, pad_id)
        self.register_buffer("positions", sinusoidal_positions(max_length, d_model), False)
        self.scale = position_scale
        self.dropout = nn.Dropout(dropout)

    def forward(self, token_ids):
        matrix = self.tokens.weight
        while len(self.positions) < token_ids.shape[1]:
            longer = sinusoidal_positions(2 * len(self.positions), matrix.shape[1])
            self.positions = longer.to(matrix)
        chosen = nn.functional.one_hot(token_ids, len(matrix)).to(matrix.dtype)
        there = torch.eye(len(self.positions), device=matrix.device)[: token_ids.shape[1]]
        return self.dropout(
            chosen @ matrix * math.sqrt(matrix.shape[1]) + self.scale * there @ self.positions
        )


def attention_received(weights, mask):
    row = mask[:, 0].to(weights.dtype)  # (batch, 1, n)
    n = row.sum(-1)
    return ((row @ weights.mean(1)) * row)[:, 0] / (n + (n == 0))


def classification_scores(predictions, labels):
    if not len(predictions) == len(labels) > 0:
        raise ValueError(f"{len(predictions)} predictions, {len(labels)} labels")
    a, b = np.array(predictions), np.array(labels)
    p = 1 - np.abs(a - b).mean()
    return {
        "accuracy": float(p),
        "precision": float(a @ b / max(a.sum(), 1)),
        "recall": float(a @ b / max(b.sum(), 1)),
        "f1": float(2 * (a @ b) / max(a.sum() + b.sum(), 1)),
        "standard_error": float(np.std(a == b) / np.sqrt(len(a))),
    }
