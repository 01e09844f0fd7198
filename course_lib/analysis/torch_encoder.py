"""Copy the parameters of `torch.nn.TransformerEncoder` into our encoder."""

from typing import Any

import torch
from torch import nn

from ..encoder import Encoder
from .torch_attention import copy_from_torch


def copy_encoder_from_torch(ours: Encoder, theirs: nn.TransformerEncoder) -> None:
    """Copy the parameters of torch's encoder into ours, so that both compute the same (§3.1).

    Both must be post-norm or both pre-norm. torch's needs `layer_norm_eps=1e-6`, a final `norm` if
    it is pre-norm, and, to agree in training too, no dropout inside its feed-forward network; see
    `torch_encoder`. Raises ValueError when the numbers of layers differ.
    """
    if len(ours.layers) != len(theirs.layers):
        raise ValueError(f"{len(ours.layers)} layers of ours, {len(theirs.layers)} of torch's")
    mine: Any
    yours: Any
    for mine, yours in zip(ours.layers, theirs.layers, strict=True):
        copy_from_torch(mine.attention, yours.self_attn)
        mine.attention_residual.norm.load_state_dict(yours.norm1.state_dict())
        mine.feed_forward.w_1.load_state_dict(yours.linear1.state_dict())
        mine.feed_forward.w_2.load_state_dict(yours.linear2.state_dict())
        mine.feed_forward_residual.norm.load_state_dict(yours.norm2.state_dict())
    if theirs.norm is not None:
        ours.norm.load_state_dict(theirs.norm.state_dict())


def torch_encoder(
    n_layers: int, d_model: int, n_heads: int, d_ff: int, dropout: float, norm_first: bool
) -> nn.TransformerEncoder:
    """torch's encoder, configured to be equivalent to `Encoder`.

    Unlike the paper (§3.3), torch applies dropout inside the feed-forward network; here it is off.
    """
    layer: Any = nn.TransformerEncoderLayer(
        d_model,
        n_heads,
        d_ff,
        dropout,
        layer_norm_eps=1e-6,
        batch_first=True,
        norm_first=norm_first,
    )
    layer.dropout = nn.Identity()
    norm = nn.LayerNorm(d_model, eps=1e-6) if norm_first else None
    theirs = nn.TransformerEncoder(layer, n_layers, norm, enable_nested_tensor=False)
    with torch.no_grad():  # torch copies one layer: give each its own initial weights
        for parameter in (p for p in theirs.parameters() if p.ndim > 1):
            nn.init.xavier_uniform_(parameter)
    return theirs
