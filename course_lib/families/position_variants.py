"""Any of five position schemes in one model, to compare them (§3.5; Table 3, row E).

    model = with_positions(EncoderClassifier(…), "relative")
    model = with_positions(LanguageModel(…), "learned", max_length=64)

Call it before creating the optimizer. All else in the model stays what it was, the weights of the
attention included.

Paper statement R35 (lectures/paper_audit.md).
"""

from typing import Any, TypeVar

import torch
from jaxtyping import Float, Int
from torch import Tensor, nn

from ..attention import MultiHeadAttention
from ..classifier import EncoderClassifier
from ..config import SCHEMES
from ..embeddings import TransformerEmbedding
from ..positions import LearnedPositions, RelativeBias
from .cached_attention import CachedAttention
from .relative_attention import RelativeMultiHeadAttention
from .rotary_attention import RotaryMultiHeadAttention

BUCKETS, FAR = 32, 128  # of the relative bias, as in T5

Model = TypeVar("Model", bound=nn.Module)


class OtherEmbedding(nn.Module):
    """`TransformerEmbedding` with `positions` in place of its sinusoids.

    `positions` adds learned vectors, or nothing when the attention knows the positions, or nobody.
    """

    def __init__(self, plain: TransformerEmbedding, positions: nn.Module) -> None:
        super().__init__()
        self.tokens, self.positions, self.dropout = plain.tokens, positions, plain.dropout

    def forward(self, token_ids: Int[Tensor, "batch n"]) -> Float[Tensor, "batch n d_model"]:
        # §3.4 — "In the embedding layers, we multiply those weights by √d_model"
        x = self.tokens(token_ids) * self.tokens.embedding_dim**0.5
        return self.dropout(self.positions(x))


def with_positions(model: Model, scheme: str, max_length: int = 512) -> Model:
    """Give a new `EncoderClassifier` or `LanguageModel` the positions of `scheme`; in place.

    "sinusoidal" and "learned" are added to the embeddings, "relative" is one bias of T5 for all
    layers, "rotary" turns queries and keys, "none" leaves the order out. A model with learned
    positions raises ValueError for more tokens than `max_length`.
    Raises ValueError for any other `scheme`.
    """
    if scheme not in SCHEMES:
        raise ValueError(f"positions = {scheme!r}: choose one of {', '.join(SCHEMES)}")
    device = next(model.parameters()).device
    if not isinstance(model, EncoderClassifier):
        _change_language_model(model, scheme, max_length)
    elif scheme != "sinusoidal":
        _change_classifier(model, scheme, max_length)
    return model.to(device).train(model.training)


def _change_classifier(model: EncoderClassifier, scheme: str, max_length: int) -> None:
    d_model = model.embedding.tokens.embedding_dim
    added = LearnedPositions(d_model, max_length) if scheme == "learned" else nn.Identity()
    setattr(model, "embedding", OtherEmbedding(model.embedding, added))  # noqa: B010
    layers: Any = model.encoder.layers
    relative = _no_preference(layers[0].attention.n_heads) if scheme == "relative" else None
    for layer in layers:
        own: MultiHeadAttention = layer.attention
        sizes = own.w_q.in_features, own.n_heads, own.dropout.p
        has_bias = own.w_q.bias is not None
        if relative is not None:
            layer.attention = RelativeMultiHeadAttention(*sizes, relative, has_bias)
        elif scheme == "rotary":
            layer.attention = RotaryMultiHeadAttention(*sizes, has_bias)
        layer.attention.load_state_dict(own.state_dict(), strict=False)


def _change_language_model(model: Any, scheme: str, max_length: int) -> None:
    model.kind = "none" if scheme == "relative" else scheme
    model.positions = None
    if scheme == "learned":
        model.positions = nn.Embedding(max_length, model.tokens.embedding_dim)
        nn.init.normal_(model.positions.weight, std=0.02)  # GPT-2's
    if scheme != "relative":
        return
    relative = _no_preference(model.blocks[0].attention.n_heads)
    for block in model.blocks:
        own: CachedAttention = block.attention
        sizes = own.w_q.in_features, own.n_heads, own.dropout.p
        block.attention = RelativeMultiHeadAttention(*sizes, relative)
        block.attention.load_state_dict(own.state_dict(), strict=False)


def _no_preference(n_heads: int) -> RelativeBias:
    """A bias that at first prefers no distance."""
    relative = RelativeBias(n_heads, BUCKETS, FAR)
    with torch.no_grad():
        relative.bias.weight.zero_()
    return relative
