"""The residual connection around every sub-layer of the Transformer.

Paper statements R5, R53 (lectures/paper_audit.md).
"""

from jaxtyping import Float
from torch import Tensor, nn

from .normalization import LayerNorm


class ResidualConnection(nn.Module):
    """The operations on x before and after a sub-layer: dropout, addition, norm (§3.1, §5.4).

        y = sublayer(residual.enter(x))
        x = residual.leave(x, y)

    The paper's order is `LayerNorm(x + Dropout(Sublayer(x)))`, "post-norm"; with `norm_first` the
    sub-layer reads the normalized input, `x + Dropout(Sublayer(LayerNorm(x)))`, "pre-norm".
    The submodules are `norm` and `dropout`.
    """

    def __init__(self, d_model: int, dropout: float = 0.1, norm_first: bool = False) -> None:
        super().__init__()
        self.norm = LayerNorm(d_model)
        self.dropout = nn.Dropout(dropout)
        self.norm_first = norm_first

    def enter(self, x: Float[Tensor, "*batch d_model"]) -> Float[Tensor, "*batch d_model"]:
        """The input of the sub-layer."""
        return self.norm(x) if self.norm_first else x

    def leave(
        self, x: Float[Tensor, "*batch d_model"], y: Float[Tensor, "*batch d_model"]
    ) -> Float[Tensor, "*batch d_model"]:
        """The input of the next sub-layer, given the output `y` of this one."""
        # §5.4 — dropout "to the output of each sub-layer, before it is added"
        x = x + self.dropout(y)
        # §3.1 — LayerNorm(x + Sublayer(x))
        return x if self.norm_first else self.norm(x)
