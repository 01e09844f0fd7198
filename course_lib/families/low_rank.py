"""Low-rank adapters (LoRA, Hu et al. 2021): a trained matrix stays, and two thin ones learn.

add_low_rank(model.encoder, rank=8)     # in place; then train the model as before
"""

import math
from collections.abc import Sequence

import torch
from jaxtyping import Float
from torch import Tensor, nn
from torch.nn import functional as F


class LowRankLinear(nn.Module):
    """`x W′ᵀ + b` with `W′ = W + (alpha / rank) B A`, where only A and B learn.

    `linear` has W and b. A, (rank, n_in), begins at random, and B, (n_out, rank), at zero, so
    training begins at the model. `weight` is W′ and `bias` is b, as of the layer that it replaces.
    Raises ValueError for a rank below 1.
    """

    def __init__(self, linear: nn.Linear, rank: int, alpha: float = 16.0) -> None:
        super().__init__()
        if rank < 1:
            raise ValueError(f"rank = {rank} leaves nothing to learn: give 1 or more")
        self.linear = linear.requires_grad_(False)
        self.in_features, self.out_features = linear.in_features, linear.out_features
        self.scale = alpha / rank
        self.A = nn.Parameter(torch.randn(rank, linear.in_features) / math.sqrt(linear.in_features))
        self.B = nn.Parameter(torch.zeros(linear.out_features, rank))

    @property
    def weight(self) -> Float[Tensor, "n_out n_in"]:
        return self.linear.weight + self.scale * self.B @ self.A

    @property
    def bias(self) -> Float[Tensor, " n_out"] | None:
        return self.linear.bias

    def forward(self, x: Float[Tensor, "*batch n_in"]) -> Float[Tensor, "*batch n_out"]:
        return F.linear(x, self.weight, self.bias)


def add_low_rank(
    model: nn.Module, rank: int, alpha: float = 16.0, names: Sequence[str] = ("w_q", "w_v")
) -> None:
    """Freeze all of `model`, and put a `LowRankLinear` in place of every linear layer so named.

    The defaults are the paper's: queries and values. Raises ValueError if no layer has such a name.
    """
    model.requires_grad_(False)
    found = [
        (part, name)
        for part in model.modules()
        for name in names
        if isinstance(getattr(part, name, None), nn.Linear)
    ]
    if not found:
        raise ValueError(f"the model has no linear layer named {' or '.join(names)}")
    for part, name in found:
        setattr(part, name, LowRankLinear(getattr(part, name), rank, alpha))
