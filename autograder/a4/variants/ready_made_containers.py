"""Style: ready-made containers: a ModuleDict, a Sequential, a deque; the id is in a buffer."""

from itertools import chain

import torch
from torch import nn

from course_lib.embeddings import TransformerEmbedding
from course_lib.encoder import Encoder


class Transformer(nn.ModuleDict):
    def __init__(
        self,
        vocab_size,
        n_layers=6,
        d_model=512,
        n_heads=8,
        d_ff=2048,
        dropout=0.1,
        norm_first=False,
        pad_id=0,
        position_scale=1.0,
    ):
        sizes = [n_layers, d_model, n_heads, d_ff, dropout, norm_first]
        words = TransformerEmbedding(
            vocab_size, d_model, dropout, pad_id, position_scale=position_scale
        )
        parts = {"embedding": words, "encoder": Encoder(*sizes), "decoder": Decoder(*sizes)}
        super().__init__(parts)
        self.register_buffer("pad", torch.tensor(pad_id), persistent=False)
        for parameter in chain(self.encoder.parameters(), self.decoder.parameters()):
            if parameter.ndim == 2:
                nn.init.xavier_uniform_(parameter)

    @property
    def pad_id(self):
        return int(self.pad)

    def encode(self, source_ids):
        mask = padding_mask(source_ids, self.pad_id)
        return self["encoder"](self["embedding"](source_ids), mask)[0], mask

    def decode(self, target_ids, memory, source_mask, need_weights=False):
        inputs = self["embedding"](target_ids), memory, target_mask(target_ids, self.pad_id)
        vectors, weights = self["decoder"](*inputs, source_mask, need_weights)
        return self.logits(vectors), weights

    def logits(self, x):
        return torch.einsum("...d,vd->...v", x, self["embedding"].tokens.weight)

    def forward(self, source_ids, target_ids, need_weights=False):
        encoded_source = self.encode(source_ids)
        return self.decode(target_ids, *encoded_source, need_weights)
