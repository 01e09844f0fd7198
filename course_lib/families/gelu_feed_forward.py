"""The feed-forward network of GPT and BERT: GELU in place of ReLU (Hendrycks and Gimpel 2016)."""

from typing import Literal

from jaxtyping import Float
from torch import Tensor
from torch.nn import functional as F

from ..feed_forward import FeedForward


class GeluFeedForward(FeedForward):
    """`GELU(x W₁ + b₁) W₂ + b₂`, where GELU(x) = x Φ(x), Φ being the normal distribution's.

    GPT-2 approximates Φ by tanh; BERT takes it as it is, `approximate="none"`.
    """

    def __init__(
        self, d_model: int, d_ff: int, approximate: Literal["none", "tanh"] = "tanh"
    ) -> None:
        super().__init__(d_model, d_ff)
        self.approximate = approximate

    def forward(self, x: Float[Tensor, "*batch n d_model"]) -> Float[Tensor, "*batch n d_model"]:
        return self.w_2(F.gelu(self.w_1(x), approximate=self.approximate))
