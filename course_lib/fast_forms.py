"""The fast forms of a model's parts, plugged in by name; results are the same to 1e-5.

    model = use_fast_forms(EncoderClassifier(…))

Each stands in for the readable part in place, with the same parameters; state dicts fit both.
"""

import torch
from jaxtyping import Float
from torch import Tensor, nn
from torch.nn import functional as F

from .attention import MultiHeadAttention
from .fused_attention import FusedMultiHeadAttention
from .normalization import LayerNorm


class FusedLayerNorm(LayerNorm):
    """`LayerNorm` by torch's one kernel (§3.1)."""

    def forward(self, x: Float[Tensor, "*batch d_model"]) -> Float[Tensor, "*batch d_model"]:
        return F.layer_norm(x, (x.shape[-1],), self.weight, self.bias, self.eps)


class FastDropout(nn.Dropout):
    """`nn.Dropout` with cheap random bits: 15 of them a number, four numbers a draw, on a CPU.

    The probability is rounded to a multiple of 2⁻¹⁵ and the survivors are scaled by its exact
    inverse, so that the expectation is kept.
    """

    def forward(self, x: Tensor) -> Tensor:
        if not self.training or self.p == 0.0 or x.device.type != "cpu":
            return super().forward(x)
        dropped = round(self.p * 2**15)
        words = torch.empty((x.numel() + 3) // 4, dtype=torch.int64)
        bits = words.random_().view(torch.int16)[: x.numel()].view(x.shape)
        kept = (bits & 0x7FFF) >= dropped
        return x * kept * (2**15 / (2**15 - dropped))


_FAST: dict[type[nn.Module], type[nn.Module]] = {
    MultiHeadAttention: FusedMultiHeadAttention,
    LayerNorm: FusedLayerNorm,
    nn.Dropout: FastDropout,
}


def use_fast_forms(model: nn.Module) -> nn.Module:
    """Give every part of `model` that has a fast form that form; returns the model."""
    for module in model.modules():
        if type(module) in _FAST:
            module.__class__ = _FAST[type(module)]
    return model
