"""The residual connection around every sub-layer of the Transformer."""

from collections.abc import Callable

from jaxtyping import Float
from torch import Tensor, nn

from .normalization import LayerNorm


class ResidualConnection(nn.Module):
    """A residual connection around a sub-layer, with dropout and layer normalization (§3.1, §5.4).

    The paper's order is `LayerNorm(x + Dropout(Sublayer(x)))`, "post-norm"; with `norm_first` the
    sub-layer sees the normalized input, `x + Dropout(Sublayer(LayerNorm(x)))`, "pre-norm".
    The submodules are `norm` and `dropout`.
    """

    def __init__(self, d_model: int, dropout: float = 0.1, norm_first: bool = False) -> None:
        super().__init__()
        self.norm = LayerNorm(d_model)
        self.dropout = nn.Dropout(dropout)
        self.norm_first = norm_first

    def forward(
        self,
        x: Float[Tensor, "*batch n d_model"],
        sublayer: Callable[[Tensor], Tensor],
    ) -> Float[Tensor, "*batch n d_model"]:
        """Apply `sublayer`, which maps a tensor to one of the same shape and is called once."""
        if self.norm_first:
            return x + self.dropout(sublayer(self.norm(x)))
        # §5.4 — dropout "to the output of each sub-layer, before it is added"
        # §3.1 — LayerNorm(x + Sublayer(x))
        return self.norm(x + self.dropout(sublayer(x)))
