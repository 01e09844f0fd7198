"""Attention whose heads are as wide for keys as for values, by zeros that change no result."""

from __future__ import annotations

import math
from types import SimpleNamespace
from typing import Any

import torch
from torch import Tensor, nn


@torch.no_grad()
def equal_widths(part: Any) -> Any:
    """The layers of a `MultiHeadAttention` with d_k = d_v; itself, if they are equal already.

    The narrower one is filled up with features that are always 0. A wider d_k would divide the
    scores by more (§3.2.1, Eq. 1), so the queries are multiplied by as much.
    """
    h = part.n_heads
    d_k, d_v = part.w_q.out_features // h, part.w_v.out_features // h
    if d_k == d_v:
        return part
    width = max(d_k, d_v)
    w_q = _wider(part.w_q, h, width)
    for own in w_q.parameters():
        own.mul_(math.sqrt(width / d_k))
    w_o = nn.Linear(h * width, part.w_o.out_features, bias=part.w_o.bias is not None).to(
        part.w_o.weight
    )
    w_o.weight.copy_(_filled(part.w_o.weight.T, h, width).T)
    if part.w_o.bias is not None:
        w_o.bias.copy_(part.w_o.bias)
    w_k, w_v = _wider(part.w_k, h, width), _wider(part.w_v, h, width)
    return SimpleNamespace(n_heads=h, w_q=w_q, w_k=w_k, w_v=w_v, w_o=w_o)


def _wider(layer: nn.Linear, n_heads: int, width: int) -> nn.Linear:
    """A projection to heads of `width` features, the first of which are those of `layer`."""
    has_bias = layer.bias is not None
    wider = nn.Linear(layer.in_features, n_heads * width, bias=has_bias).to(layer.weight)
    wider.weight.copy_(_filled(layer.weight, n_heads, width))
    if has_bias:
        wider.bias.copy_(_filled(layer.bias, n_heads, width))
    return wider


def _filled(rows: Tensor, n_heads: int, width: int) -> Tensor:
    """The rows of each head, followed by rows of zeros up to `width`."""
    heads = rows.unflatten(0, (n_heads, -1))
    filled = heads.new_zeros(n_heads, width, *heads.shape[2:])
    filled[:, : heads.shape[1]] = heads
    return filled.flatten(0, 1)
