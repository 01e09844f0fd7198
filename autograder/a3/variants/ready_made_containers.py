"""Style: layers that are a ModuleDict or a Sequential, an id in a buffer."""

import torch
from torch import nn


class EncoderClassifier(nn.Module):
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
        if pooling != "mean" and pooling != "cls":
            raise ValueError("no pooling called " + str(pooling))
        self.first_token = pooling == "cls"
        self.register_buffer("pad", torch.tensor(pad_id), persistent=False)
        embedding = TransformerEmbedding(vocab_size, d_model, dropout, pad_id, 16, position_scale)
        self.add_module("embedding", embedding)
        self.add_module("encoder", Encoder(n_layers, d_model, n_heads, d_ff, dropout, norm_first))
        self.add_module("dropout", nn.Dropout(dropout))
        self.add_module("output", nn.Linear(d_model, n_classes))

    def forward(self, token_ids, need_weights=False):
        mask = padding_mask(token_ids, int(self.pad))
        states, weights = self.encoder(self.embedding(token_ids), mask, need_weights)
        pooled = (
            states.narrow(1, 0, 1).squeeze(1) if self.first_token else masked_mean(states, mask)
        )
        head = nn.Sequential(self.dropout, self.output)
        return head(pooled), weights
