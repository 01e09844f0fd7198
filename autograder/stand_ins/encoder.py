"""The encoder, backed by torch until assignment 3 is over."""

from functools import reduce
from types import SimpleNamespace

from torch import nn

from .attention import MultiHeadAttention
from .feed_forward import FeedForward
from .normalization import LayerNorm
from .residual import ResidualConnection


class EncoderLayer(nn.TransformerEncoderLayer):
    """One layer of the encoder (§3.1); `forward` returns `(output, weights)` or `(output, None)`.

    The parts are called `attention`, `attention_residual`, `feed_forward` and
    `feed_forward_residual`; each residual connection has a `norm` and a `dropout`.
    """

    # torch's own layer connects the parts, which are made here
    def __init__(self, d_model=512, n_heads=8, d_ff=2048, dropout=0.1, norm_first=False):
        nn.Module.__init__(self)
        for name in ("attention_residual", "feed_forward_residual"):
            setattr(self, name, ResidualConnection(d_model, dropout, norm_first))
        self.attention = MultiHeadAttention(d_model, n_heads, dropout)
        self.feed_forward = FeedForward(d_model, d_ff)
        self.norm_first = norm_first
        self.self_attn = SimpleNamespace(batch_first=False)  # keeps torch off its fused path

    norm1 = property(lambda self: self.attention_residual.norm)
    norm2 = property(lambda self: self.feed_forward_residual.norm)

    def _sa_block(self, x, *_, **__):
        output, self._weights[0] = self.attention(x, x, x, *self._asked)
        return self.attention_residual.dropout(output)

    def _ff_block(self, x):
        return self.feed_forward_residual.dropout(self.feed_forward(x))

    def forward(self, x, mask=None, need_weights=False):
        self._asked, self._weights = (mask, need_weights), [None]
        return super().forward(x), self._weights[0]


class Encoder(nn.Module):
    """A stack of layers, `layers`, with a final LayerNorm, `norm`, if pre-norm (§3.1)."""

    def __init__(
        self, n_layers=6, d_model=512, n_heads=8, d_ff=2048, dropout=0.1, norm_first=False
    ):
        super().__init__()
        sizes = (d_model, n_heads, d_ff, dropout, norm_first)
        self.layers = nn.ModuleList([EncoderLayer(*sizes) for _ in range(n_layers)])
        self.norm = LayerNorm(d_model) if norm_first else nn.Identity()

    def forward(self, x, mask=None, need_weights=False):
        def through(state, layer):
            output, layer_weights = layer(state[0], mask, need_weights)
            return output, [*state[1], layer_weights]

        output, weights = reduce(through, self.layers, (x, []))
        return self.norm(output), weights if need_weights else None
