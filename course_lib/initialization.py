"""Random initialization of the linear layers.

Paper statement R60 (lectures/paper_audit.md).
"""

import math

import torch
from torch import nn


def initialize(model: nn.Module, scheme: str, generator: torch.Generator) -> None:
    """Re-initialize the weights of every `nn.Linear` in `model`, in place; biases become 0.

    "xavier": uniform in ±√(6 / (n_in + n_out)) (Glorot and Bengio 2010); "he": normal with
    standard deviation √(2 / n_in) (He et al. 2015); "normal": normal with standard deviation 0.02.
    Embeddings and layer norms stay as they are, and only `generator` is drawn from. The paper does
    not specify its initialization. Raises ValueError, naming the three, for any other scheme.
    """
    if scheme not in ("xavier", "he", "normal"):
        raise ValueError(f"scheme {scheme!r} is unknown: choose 'xavier', 'he' or 'normal'")
    for layer in model.modules():
        if not isinstance(layer, nn.Linear):
            continue
        n_out, n_in = layer.weight.shape
        with torch.no_grad():
            if scheme == "xavier":
                bound = math.sqrt(6 / (n_in + n_out))
                layer.weight.uniform_(-bound, bound, generator=generator)
            else:
                deviation = math.sqrt(2 / n_in) if scheme == "he" else 0.02
                layer.weight.normal_(0.0, deviation, generator=generator)
            if layer.bias is not None:
                layer.bias.zero_()
