"""Linear layers for inference, with their weights in the layout that a CPU multiplies fastest."""

from typing import Any

import torch
from jaxtyping import Float
from torch import Tensor

LARGE = 2**17  # weights; packing does not pay for fewer
ROWS = 80  # 80 × 4,000 × 4 bytes are 1.3 MB


class PackedLinear:
    """Several linear layers as one product; with `query_size`, the first is scaled by 1 / √d_k.

    On a CPU, large weights are packed once for oneDNN, as `torch.compile` does for a frozen model:
    their products take a tenth less time. No gradients flow through it.
    """

    @torch.no_grad()
    def __init__(self, *layers: Any, query_size: int | None = None) -> None:
        scale = 1.0 if query_size is None else query_size**-0.5
        factors = [scale] + [1.0] * (len(layers) - 1)
        pairs = list(zip(layers, factors, strict=True))
        weight = torch.cat([layer.weight * factor for layer, factor in pairs])
        self.bias = None
        if getattr(layers[0], "bias", None) is not None:
            self.bias = torch.cat([layer.bias * factor for layer, factor in pairs])
        self.packed = _pays(weight)
        if self.packed:
            self.weight = torch.ops.mkldnn._reorder_linear_weight(weight)
        else:
            self.weight = weight.T.contiguous()

    def __call__(
        self, x: Float[Tensor, "rows n_in"], relu: bool = False
    ) -> Float[Tensor, "rows n_out"]:
        """The layers' outputs side by side; with `relu`, negative ones become 0."""
        if self.packed:
            then = "relu" if relu else "none"
            return torch.ops.mkldnn._linear_pointwise(x, self.weight, self.bias, then, [], "")
        y = x @ self.weight if self.bias is None else torch.addmm(self.bias, x, self.weight)
        return y.relu_() if relu else y

    def added_to(
        self, total: Float[Tensor, "rows n_out"], x: Float[Tensor, "rows n_in"]
    ) -> Float[Tensor, "rows n_out"]:
        """Add the output to `total` in place."""
        if self.packed:
            return total.add_(self(x))
        if self.bias is not None:
            total.add_(self.bias)
        return total.addmm_(x, self.weight)


def _pays(weight: Tensor) -> bool:
    """Whether this torch can pack the weights, and they are large enough."""
    plain = weight.device.type == "cpu" and weight.dtype == torch.float32
    return plain and weight.numel() >= LARGE and torch.backends.mkldnn.is_available()


def in_parts(x: Tensor, n_rows: int = ROWS) -> tuple[Tensor, ...]:
    """Views of `x`, at most `n_rows` rows each: what a layer makes of one stays in a core's cache.

    On other devices than the CPU, all rows are one part.
    """
    return x.split(n_rows) if x.device.type == "cpu" else (x,)
