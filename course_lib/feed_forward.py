"""The position-wise feed-forward network: the same two layers at every position.

Paper statements R31, R33 (lectures/paper_audit.md).
"""

from jaxtyping import Float
from torch import Tensor, nn


class FeedForward(nn.Module):
    """`max(0, x W₁ + b₁) W₂ + b₂` (§3.3, Eq. 2): expand to d_ff features and project back.

    The linear layers are called `w_1` and `w_2`. There is no dropout inside: the paper applies it
    only to the output of a sub-layer (§5.4), which the residual connection does.
    """

    def __init__(self, d_model: int = 512, d_ff: int = 2048) -> None:
        super().__init__()
        # §3.3 — "dimensionality of input and output is 512, and the inner layer has 2048"
        self.w_1 = nn.Linear(d_model, d_ff)
        self.w_2 = nn.Linear(d_ff, d_model)

    def forward(self, x: Float[Tensor, "*batch n d_model"]) -> Float[Tensor, "*batch n d_model"]:
        # §3.3, Eq. 2
        return self.w_2(self.w_1(x).relu())
