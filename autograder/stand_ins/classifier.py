"""The sentence classifier, backed by torch until assignment 3 is over."""

import torch
from torch import nn
from torch.nn import functional as F

from .embeddings import TransformerEmbedding
from .encoder import Encoder
from .masks import padding_mask


def masked_mean(x, mask):
    """The mean over the real tokens, `(batch, d_model)`; zeros for a sentence without any."""
    # a bag for each sentence, of the rows that count
    real = mask.flatten(1)
    ends = real.sum(dim=1).cumsum(dim=0)
    rows = real.flatten().nonzero().flatten()
    return F.embedding_bag(rows, x.flatten(0, 1), ends - real.sum(dim=1), mode="mean")


class EncoderClassifier(nn.Module):
    """The encoder with a linear classifier over one vector per sentence.

    `pooling` selects the vector: "mean" of the real tokens, or "cls", that of the first token. The
    parts are called `embedding`, `encoder`, `dropout` and `output`; `forward` returns `(logits,
    weights)` or `(logits, None)`. Raises ValueError for any other `pooling`.
    """

    def __init__(
        self,
        vocab_size,
        n_classes=2,
        n_layers=6,
        d_model=512,
        n_heads=8,
        d_ff=2048,
        dropout=0.1,
        norm_first=False,
        pooling="mean",
        pad_id=0,
        position_scale=1.0,
    ):
        super().__init__()
        if pooling not in {"mean", "cls"}:
            raise ValueError(f"pooling is {pooling!r} and must be 'mean' or 'cls'")
        self.pooling, self.pad_id = pooling, pad_id
        parts = {
            "embedding": TransformerEmbedding(
                vocab_size, d_model, dropout, pad_id=pad_id, position_scale=position_scale
            ),
            "encoder": Encoder(n_layers, d_model, n_heads, d_ff, dropout, norm_first),
            "dropout": nn.Dropout(dropout),
            "output": nn.Linear(d_model, n_classes),
        }
        for name, part in parts.items():
            self.add_module(name, part)

    def forward(self, token_ids, need_weights=False):
        embed, encode, *head = self.children()
        real = padding_mask(token_ids, self.pad_id)
        first = torch.arange(real.shape[-1], device=real.device).eq(0).expand_as(real)
        vectors, weights = encode(embed(token_ids), real, need_weights)
        vector = masked_mean(vectors, real if self.pooling == "mean" else first)
        return nn.Sequential(*head)(vector), weights
