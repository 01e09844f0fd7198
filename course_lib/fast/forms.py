"""Models made of the fast forms of their parts; results are the same to 1e-5.

    model = fast_model(Transformer, vocab_size, **config.arguments)

The parts have the same parameters under the same names, so state dicts are interchangeable, and a
seed draws the same weights.
"""

from collections.abc import Callable
from typing import TypeVar

import torch
from jaxtyping import Float
from torch import Tensor, nn
from torch.nn import functional as F

from ..attention import MultiHeadAttention
from ..normalization import LayerNorm
from .attention import FusedMultiHeadAttention
from .dropout import FastDropout

Model = TypeVar("Model", bound=nn.Module)


class FusedLayerNorm(LayerNorm):
    """`LayerNorm` by torch's fused kernel (§3.1)."""

    def forward(self, x: Float[Tensor, "*batch d_model"]) -> Float[Tensor, "*batch d_model"]:
        return F.layer_norm(x, (x.shape[-1],), self.weight, self.bias, self.eps)


def fast_model(kind: Callable[..., Model], *sizes: object, **settings: object) -> Model:
    """`kind(*sizes, **settings)`, with the fast form of every part that has one."""
    return _of_fast_parts(kind(*sizes, **settings))


def _of_fast_parts(model: Model) -> Model:
    for name, part in model.named_children():
        setattr(model, name, _of_fast_parts(_fast_form(part)))
    return model


def _fast_form(part: nn.Module) -> nn.Module:
    """A fast part with the parameters of `part`, or `part` itself."""
    fast: nn.Module
    with torch.device("meta"):  # its own weights are neither drawn nor kept
        if type(part) is MultiHeadAttention:
            d_model, bias = part.w_q.in_features, part.w_q.bias is not None
            fast = FusedMultiHeadAttention(d_model, part.n_heads, part.dropout.p, bias)
        elif type(part) is LayerNorm:
            fast = FusedLayerNorm(len(part.weight), part.eps)
        elif type(part) is nn.Dropout:
            return FastDropout(part.p)
        else:
            return part
    for name, own in (*part.named_children(), *part.named_parameters(recurse=False)):
        setattr(fast, name, own)
    return fast
