"""The fast forms of a model's parts, plugged in by name; results are the same to 1e-5.

    model = use_fast_forms(EncoderClassifier(…))

Each stands in for the readable part in place, with the same parameters; state dicts fit both.
"""

from jaxtyping import Float
from torch import Tensor, nn
from torch.nn import functional as F

from ..attention import MultiHeadAttention
from ..normalization import LayerNorm
from .attention import FusedMultiHeadAttention
from .dropout import FastDropout


class FusedLayerNorm(LayerNorm):
    """`LayerNorm` by torch's one kernel (§3.1)."""

    def forward(self, x: Float[Tensor, "*batch d_model"]) -> Float[Tensor, "*batch d_model"]:
        return F.layer_norm(x, (x.shape[-1],), self.weight, self.bias, self.eps)


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
