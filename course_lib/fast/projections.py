"""Projections for inference: several as one product, and all of one width."""

import math
from types import SimpleNamespace
from typing import Any

import torch
from jaxtyping import Float
from torch import Tensor, nn

ROWS = 80  # 80 × 4,000 × 4 bytes are 1.3 MB


class JoinedLinear:
    """Several linear layers as one; with `query_size`, the first is scaled by 1 / √d_k.

    Its weights are copied in the constructor, and no gradients flow through it.
    """

    @torch.no_grad()
    def __init__(self, *layers: Any, query_size: int | None = None) -> None:
        scale = 1.0 if query_size is None else query_size**-0.5
        factors = [scale] + [1.0] * (len(layers) - 1)
        pairs = list(zip(layers, factors, strict=True))
        self.weight = torch.cat([layer.weight * factor for layer, factor in pairs]).T.contiguous()
        self.bias = None
        if getattr(layers[0], "bias", None) is not None:
            self.bias = torch.cat([layer.bias * factor for layer, factor in pairs])

    def __call__(self, x: Float[Tensor, "rows n_in"]) -> Float[Tensor, "rows n_out"]:
        """The layers' outputs side by side."""
        return x @ self.weight if self.bias is None else torch.addmm(self.bias, x, self.weight)

    def added_to(
        self, total: Float[Tensor, "rows n_out"], x: Float[Tensor, "rows n_in"]
    ) -> Float[Tensor, "rows n_out"]:
        """Add the output to `total` in place."""
        if self.bias is not None:
            total.add_(self.bias)
        return total.addmm_(x, self.weight)


def in_parts(x: Tensor, n_rows: int = ROWS) -> tuple[Tensor, ...]:
    """Views of `x`, at most `n_rows` rows each: what a layer makes of one stays in a core's cache.

    On other devices than the CPU, all rows are one part.
    """
    return x.split(n_rows) if x.device.type == "cpu" else (x,)


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
