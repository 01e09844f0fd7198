"""Layer normalization: each position to mean 0 and variance 1, independently of the others.

Paper statements R7, R12 (lectures/paper_audit.md).
"""

import torch
from jaxtyping import Float
from torch import Tensor, nn


class LayerNorm(nn.Module):
    """Layer normalization over the features (§3.1), with a learned gain and bias.

    `weight` starts at ones, `bias` at zeros, as in `torch.nn.LayerNorm`; state dicts are
    interchangeable. The variance is the biased one (divided by d_model) and `eps` is added to it
    inside the root.
    """

    def __init__(self, d_model: int, eps: float = 1e-6) -> None:
        super().__init__()
        self.eps = eps
        self.weight = nn.Parameter(torch.ones(d_model))
        self.bias = nn.Parameter(torch.zeros(d_model))

    def forward(self, x: Float[Tensor, "*batch d_model"]) -> Float[Tensor, "*batch d_model"]:
        """Normalize each position by its own mean and variance."""
        # §3.1 — "followed by layer normalization": statistics of one position's features
        mean = x.mean(dim=-1, keepdim=True)
        variance = x.var(dim=-1, correction=0, keepdim=True)
        return self.weight * (x - mean) / torch.sqrt(variance + self.eps) + self.bias
