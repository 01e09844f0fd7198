"""The decoder: layers of masked self-attention, cross-attention, and feed-forward.

Paper statements R9, R26, R27 (lectures/paper_audit.md).
"""

from jaxtyping import Bool, Float
from torch import Tensor, nn

from .attention import MultiHeadAttention
from .feed_forward import FeedForward
from .normalization import LayerNorm
from .residual import ResidualConnection


class DecoderLayer(nn.Module):
    """One layer of the decoder (§3.1): self-attention, cross-attention to `memory`, feed-forward.

    `memory` is the encoder's output. The submodules are `self_attention`, `cross_attention` and
    `feed_forward`, each with its own residual connection: `self_attention_residual`,
    `cross_attention_residual`, `feed_forward_residual`.
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
        self.self_attention = MultiHeadAttention(d_model, n_heads, dropout)
        self.self_attention_residual = ResidualConnection(d_model, dropout, norm_first)
        self.cross_attention = MultiHeadAttention(d_model, n_heads, dropout)
        self.cross_attention_residual = ResidualConnection(d_model, dropout, norm_first)
        self.feed_forward = FeedForward(d_model, d_ff)
        self.feed_forward_residual = ResidualConnection(d_model, dropout, norm_first)

    def forward(
        self,
        x: Float[Tensor, "batch n_target d_model"],
        memory: Float[Tensor, "batch n_source d_model"],
        target_mask: Bool[Tensor, "..."] | None = None,
        source_mask: Bool[Tensor, "..."] | None = None,
        need_weights: bool = False,
    ) -> tuple[Float[Tensor, "batch n_target d_model"], Tensor | None]:
        """`(output, weights)`: the cross-attention weights, or None without `need_weights`.

        `target_mask` masks the self-attention (causal and padding), `source_mask` the padding of
        the source; True = may attend.
        """
        # §3.2.3 — "each position in the decoder to attend to all positions in the decoder up to
        # and including that position"
        y = self.self_attention_residual.enter(x)
        y, _ = self.self_attention(y, y, y, target_mask)
        x = self.self_attention_residual.leave(x, y)
        # §3.2.3 — "the queries come from the previous decoder layer, and the memory keys and
        # values come from the output of the encoder"
        y = self.cross_attention_residual.enter(x)
        y, weights = self.cross_attention(y, memory, memory, source_mask, need_weights)
        x = self.cross_attention_residual.leave(x, y)
        y = self.feed_forward(self.feed_forward_residual.enter(x))
        return self.feed_forward_residual.leave(x, y), weights


class Decoder(nn.Module):
    """A stack of `n_layers` decoder layers (§3.1), `layers`; `norm_first` adds a final `norm`."""

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
        # §3.1 — "The decoder is also composed of a stack of N = 6 identical layers"
        self.layers = nn.ModuleList(
            DecoderLayer(d_model, n_heads, d_ff, dropout, norm_first) for _ in range(n_layers)
        )
        self.norm = LayerNorm(d_model) if norm_first else nn.Identity()

    def forward(
        self,
        x: Float[Tensor, "batch n_target d_model"],
        memory: Float[Tensor, "batch n_source d_model"],
        target_mask: Bool[Tensor, "..."] | None = None,
        source_mask: Bool[Tensor, "..."] | None = None,
        need_weights: bool = False,
    ) -> tuple[Float[Tensor, "batch n_target d_model"], list[Tensor] | None]:
        """`(output, weights)`: one tensor of cross-attention weights per layer, or None."""
        weights = []
        for layer in self.layers:
            x, layer_weights = layer(x, memory, target_mask, source_mask, need_weights)
            weights.append(layer_weights)
        return self.norm(x), weights if need_weights else None
