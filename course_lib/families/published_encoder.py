"""A `BertEncoder` with weights that others have trained and published.

    encoder = encoder_from(model.config, model.weights)     # of data.models.published_model
    vectors = sentence_vectors(encoder, token_ids)

Their layers are ours under other names. Nothing is computed in another way, so the vectors are the
published model's.
"""

from collections.abc import Mapping
from typing import Any

from jaxtyping import Float, Int
from torch import Tensor
from torch.nn import functional as F

from ..classifier import masked_mean
from ..masks import padding_mask
from ..normalization import LayerNorm
from .masked_language_model import BertEncoder


def own_name(name: str) -> str | None:
    """The name in `BertEncoder` of a published weight; None for one that it has no place for."""
    if not name.startswith(("embeddings.", "encoder.")) or name.endswith("position_ids"):
        return None
    for theirs, ours in (
        ("embeddings.word_embeddings", "tokens"),
        ("embeddings.position_embeddings", "positions"),
        ("embeddings.token_type_embeddings", "segments"),
        ("embeddings.LayerNorm", "norm"),
        ("encoder.layer.", "encoder.layers."),
        ("attention.self.query", "attention.w_q"),
        ("attention.self.key", "attention.w_k"),
        ("attention.self.value", "attention.w_v"),
        ("attention.output.dense", "attention.w_o"),
        ("attention.output.LayerNorm", "attention_residual.norm"),
        ("intermediate.dense", "feed_forward.w_1"),
        ("output.dense", "feed_forward.w_2"),  # of what is left after the attention's
        ("output.LayerNorm", "feed_forward_residual.norm"),
    ):
        name = name.replace(theirs, ours)
    return name


def encoder_from(config: Mapping[str, Any], weights: Mapping[str, Tensor]) -> BertEncoder:
    """A `BertEncoder` of the published sizes, with the published weights and epsilon."""
    encoder = BertEncoder(
        config["vocab_size"],
        n_layers=config["num_hidden_layers"],
        d_model=config["hidden_size"],
        n_heads=config["num_attention_heads"],
        d_ff=config["intermediate_size"],
        dropout=config["hidden_dropout_prob"],
        max_length=config["max_position_embeddings"],
        n_segments=config["type_vocab_size"],
    )
    named = {own_name(name): tensor for name, tensor in weights.items()}
    encoder.load_state_dict({name: tensor for name, tensor in named.items() if name is not None})
    for part in encoder.modules():
        if isinstance(part, LayerNorm):
            part.eps = config["layer_norm_eps"]
    return encoder


def sentence_vectors(
    encoder: BertEncoder, token_ids: Int[Tensor, "batch n"]
) -> Float[Tensor, "batch d_model"]:
    """One vector of length 1 for each text: the mean over its real tokens, divided by its length.

    The product of two such vectors is the cosine of their angle, 1 for the same direction.
    """
    x, _ = encoder(token_ids)
    return F.normalize(masked_mean(x, padding_mask(token_ids, encoder.pad_id)), dim=-1)
