"""The encoder: layers of self-attention and feed-forward, each in a residual connection.

Paper statements R2, R4, R13, R25 (lectures/paper_audit.md).
"""

from jaxtyping import Bool, Float
from torch import Tensor, nn

from .attention import MultiHeadAttention
from .feed_forward import FeedForward
from .normalization import LayerNorm
from .residual import ResidualConnection


class EncoderLayer(nn.Module):
    """One layer of the encoder (§3.1): self-attention, then the feed-forward network.

    Each of the two sub-layers has a residual connection of its own; `norm_first` is passed on to
    both. The submodules are `attention`, `attention_residual`, `feed_forward` and
    `feed_forward_residual`.
    """

    def __init__(
        self,
        d_model: int = 512,
        n_heads: int = 8,
        d_ff: int = 2048,
        dropout: float = 0.1,
        norm_first: bool = False,
    ) -> None:
        super().__init__()
        self.attention = MultiHeadAttention(d_model, n_heads, dropout)
        self.attention_residual = ResidualConnection(d_model, dropout, norm_first)
        self.feed_forward = FeedForward(d_model, d_ff)
        self.feed_forward_residual = ResidualConnection(d_model, dropout, norm_first)

    def forward(
        self,
        x: Float[Tensor, "batch n d_model"],
        mask: Bool[Tensor, "..."] | None = None,
        need_weights: bool = False,
    ) -> tuple[Float[Tensor, "batch n d_model"], Float[Tensor, "batch n_heads n n"] | None]:
        """`(output, weights)`, or `(output, None)` without `need_weights`."""
        # §3.1 — "The first is a multi-head self-attention mechanism"; §3.2.3 — "all of the keys,
        # values and queries come from the same place"
        y = self.attention_residual.enter(x)
        y, weights = self.attention(y, y, y, mask, need_weights)
        x = self.attention_residual.leave(x, y)
        # §3.1 — "and the second is a simple, position-wise fully connected feed-forward network"
        y = self.feed_forward(self.feed_forward_residual.enter(x))
        return self.feed_forward_residual.leave(x, y), weights


class Encoder(nn.Module):
    """A stack of `n_layers` identical layers, `layers`, each with its own parameters (§3.1).

    With `norm_first` no layer normalizes its output, so a final LayerNorm, `norm`, follows; in the
    paper's order there is none.
    """

    def __init__(
        self,
        n_layers: int = 6,
        d_model: int = 512,
        n_heads: int = 8,
        d_ff: int = 2048,
        dropout: float = 0.1,
        norm_first: bool = False,
    ) -> None:
        super().__init__()
        # §3.1 — "a stack of N = 6 identical layers"
        self.layers = nn.ModuleList(
            EncoderLayer(d_model, n_heads, d_ff, dropout, norm_first) for _ in range(n_layers)
        )
        self.norm = LayerNorm(d_model) if norm_first else nn.Identity()

    def forward(
        self,
        x: Float[Tensor, "batch n d_model"],
        mask: Bool[Tensor, "..."] | None = None,
        need_weights: bool = False,
    ) -> tuple[Float[Tensor, "batch n d_model"], list[Tensor] | None]:
        """`(output, weights)`: one tensor of weights per layer, or None without `need_weights`."""
        weights = []
        for layer in self.layers:
            x, layer_weights = layer(x, mask, need_weights)
            weights.append(layer_weights)
        return self.norm(x), weights if need_weights else None
