"""Conversion of masks and parameters between our attention and `torch.nn.MultiheadAttention`."""

import torch
from jaxtyping import Bool
from torch import Tensor, nn

from ..attention import MultiHeadAttention


def to_torch_mask(mask: Bool[Tensor, "*batch n_q n_k"], n_heads: int) -> Bool[Tensor, "..."]:
    """The `attn_mask` for torch's module that is equivalent to `mask` for ours.

    Ours is True where a query may attend, torch's is True where it may not, and torch expects batch
    and heads in one dimension, head by head within an example:
    `(n_q, n_k)` → `(n_q, n_k)`, `(batch, 1 or n_heads, n_q, n_k)` → `(batch·n_heads, n_q, n_k)`.
    Raises ValueError for any other number of dimensions.
    """
    if mask.ndim == 2:
        return ~mask
    if mask.ndim != 4:
        raise ValueError(
            f"a mask of shape {tuple(mask.shape)}: give (queries, keys) or "
            "(batch, 1 or heads, queries, keys), each at its full size"
        )
    batch, _, n_q, n_k = mask.shape
    return ~mask.expand(batch, n_heads, n_q, n_k).reshape(batch * n_heads, n_q, n_k)


def copy_from_torch(ours: MultiHeadAttention, theirs: nn.MultiheadAttention) -> None:
    """Copy the parameters of torch's module into ours, so that both compute the same (§3.2.2).

    torch packs the query, key and value projections into one matrix, in that order, as row blocks:
    `in_proj_weight` of `(3·d_model, d_model)`, `in_proj_bias` of `(3·d_model,)`.
    The parameters are written in place, so an existing optimizer keeps training them.
    Raises ValueError when one module has biases and the other has none.
    """
    if (ours.w_q.bias is None) != (theirs.in_proj_bias is None):
        raise ValueError(
            "one module has biases, the other has none: build both with the same `bias`"
        )
    layers = (ours.w_q, ours.w_k, ours.w_v)
    with torch.no_grad():
        for layer, weight in zip(layers, theirs.in_proj_weight.chunk(3), strict=True):
            layer.weight.copy_(weight)
        ours.w_o.weight.copy_(theirs.out_proj.weight)
        if theirs.in_proj_bias is not None:
            for layer, bias in zip(layers, theirs.in_proj_bias.chunk(3), strict=True):
                layer.bias.copy_(bias)
            ours.w_o.bias.copy_(theirs.out_proj.bias)
