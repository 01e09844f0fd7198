"""Classifiers with other position encodings, for comparison (§3.5; Table 3, row E).

    model = use_learned_positions(EncoderClassifier(…), max_length=64)
    model = use_relative_positions(EncoderClassifier(…))

Call either before creating the optimizer.

Row R35 of the paper page.
"""

from typing import Any

import torch
from jaxtyping import Float, Int
from torch import Tensor, nn

from ..classifier import EncoderClassifier
from ..embeddings import TransformerEmbedding
from ..positions import LearnedPositions, RelativeBias
from .relative_attention import RelativeMultiHeadAttention


class OtherEmbedding(nn.Module):
    """`TransformerEmbedding` with `positions` in place of its sinusoids.

    `positions` adds learned vectors, or nothing when the attention has a relative bias.
    """

    def __init__(self, plain: TransformerEmbedding, positions: nn.Module) -> None:
        super().__init__()
        self.tokens, self.positions, self.dropout = plain.tokens, positions, plain.dropout

    def forward(self, token_ids: Int[Tensor, "batch n"]) -> Float[Tensor, "batch n d_model"]:
        # §3.4 — "In the embedding layers, we multiply those weights by √d_model"
        x = self.tokens(token_ids) * self.tokens.embedding_dim**0.5
        return self.dropout(self.positions(x))


def use_learned_positions(model: EncoderClassifier, max_length: int = 512) -> EncoderClassifier:
    """Replace the sinusoids by learned positions, in place; returns the model.

    The model then raises ValueError for sentences longer than `max_length`.
    """
    d_model = model.embedding.tokens.embedding_dim
    return _with_positions(model, LearnedPositions(d_model, max_length))


def use_relative_positions(
    model: EncoderClassifier, n_buckets: int = 32, max_distance: int = 128
) -> EncoderClassifier:
    """Replace the sinusoids by one relative bias for all layers, in place; returns the model."""
    layers: Any = model.encoder.layers
    relative = RelativeBias(layers[0].attention.n_heads, n_buckets, max_distance)
    with torch.no_grad():  # initially no distance is preferred
        relative.bias.weight.zero_()
    for layer in layers:
        own = layer.attention
        layer.attention = RelativeMultiHeadAttention(
            own.w_q.in_features, own.n_heads, own.dropout.p, relative, own.w_q.bias is not None
        )
        layer.attention.load_state_dict(own.state_dict(), strict=False)
    return _with_positions(model, nn.Identity())


def _with_positions(model: EncoderClassifier, positions: nn.Module) -> EncoderClassifier:
    device = model.embedding.tokens.weight.device
    setattr(model, "embedding", OtherEmbedding(model.embedding, positions))  # noqa: B010
    return model.to(device)
