"""Replace the modules of a model by their fast forms; results are the same to 1e-5.

    model = use_fast_forms(EncoderClassifier(…))

Modules are replaced in place and keep their parameters; state dicts are interchangeable.
"""

from jaxtyping import Float
from torch import Tensor, nn
from torch.nn import functional as F

from ..attention import MultiHeadAttention
from ..normalization import LayerNorm
from .attention import FusedMultiHeadAttention
from .dropout import FastDropout


class FusedLayerNorm(LayerNorm):
    """`LayerNorm` by torch's fused kernel (§3.1)."""

    def forward(self, x: Float[Tensor, "*batch d_model"]) -> Float[Tensor, "*batch d_model"]:
        return F.layer_norm(x, (x.shape[-1],), self.weight, self.bias, self.eps)


_FAST: dict[type[nn.Module], type[nn.Module]] = {
    MultiHeadAttention: FusedMultiHeadAttention,
    LayerNorm: FusedLayerNorm,
    nn.Dropout: FastDropout,
}


def use_fast_forms(model: nn.Module) -> nn.Module:
    """Switch every module of `model` that has a fast form to it, in place; returns the model."""
    for module in model.modules():
        if type(module) in _FAST:
            module.__class__ = _FAST[type(module)]
    return model
