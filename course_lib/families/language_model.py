"""A decoder-only language model: the paper's decoder without an encoder to read (Radford et al.).

    model = LanguageModel(vocab_size, n_layers=4, d_model=128, n_heads=4, d_ff=512)
    logits = model(token_ids)              # position i predicts token i + 1

What GPT-2 changed: the norm comes first, GELU in place of ReLU, learned positions, no factor
√d_model on the embeddings, and a smaller initialization. `positions` chooses sinusoids or rotary
positions instead.
"""

import math
from typing import Literal, get_args

import torch
from jaxtyping import Bool, Float, Int
from torch import Tensor, nn

from ..encoder import EncoderLayer
from ..masks import causal_mask, padding_mask
from ..normalization import LayerNorm
from ..positions import sinusoidal_positions
from .cached_attention import CachedAttention, KeysAndValues
from .gelu_feed_forward import GeluFeedForward
from .packing import block_mask, restarted_positions

Positions = Literal["learned", "sinusoidal", "rotary", "none"]
KINDS = get_args(Positions)  # `position_variants` adds those of `config.SCHEMES` within attention


class Block(EncoderLayer):
    """`EncoderLayer` with the norm first, an attention that can be cached, and GELU."""

    attention: CachedAttention

    def __init__(self, d_model: int, n_heads: int, d_ff: int, dropout: float) -> None:
        super().__init__(d_model, n_heads, d_ff, dropout, norm_first=True)
        self.attention = CachedAttention(d_model, n_heads, dropout)
        self.feed_forward = GeluFeedForward(d_model, d_ff)

    def forward(
        self,
        x: Float[Tensor, "batch n d_model"],
        mask: Bool[Tensor, "..."] | None = None,
        need_weights: bool = False,
        positions: Int[Tensor, "batch n"] | None = None,
        cache: KeysAndValues | None = None,
    ) -> tuple[Float[Tensor, "batch n d_model"], Tensor | None]:
        """`EncoderLayer.forward`, by an attention with these `positions` and this `cache`."""
        self.attention.positions, self.attention.cache = positions, cache
        output = super().forward(x, mask, need_weights)
        self.attention.positions = self.attention.cache = None
        return output


class LanguageModel(nn.Module):
    """Predicts every token from those before it; embeddings and logits share one matrix.

    The submodules are `tokens`, `dropout`, `blocks` and `norm`; with learned positions, `positions`
    is an `nn.Embedding` of `max_length` rows. Padding, `pad_id`, may be anywhere in a row: it is
    not attended to and takes no position, so prompts of different lengths fit into one batch.
    `position_scale` is a factor on sinusoids, which are larger than new embeddings by far.
    Raises ValueError for unknown `positions`.
    """

    def __init__(
        self,
        vocab_size: int,
        n_layers: int = 12,
        d_model: int = 768,
        n_heads: int = 12,
        d_ff: int = 3072,
        dropout: float = 0.1,
        positions: Positions = "learned",
        max_length: int = 1024,
        pad_id: int = 0,
        position_scale: float = 1.0,
    ) -> None:
        super().__init__()
        if positions not in KINDS:
            raise ValueError(f"positions = {positions!r}: choose one of {', '.join(KINDS)}")
        self.kind, self.pad_id, self.position_scale = positions, pad_id, position_scale
        self.tokens = nn.Embedding(vocab_size, d_model)
        self.positions = nn.Embedding(max_length, d_model) if positions == "learned" else None
        self.dropout = nn.Dropout(dropout)
        self.blocks = nn.ModuleList(Block(d_model, n_heads, d_ff, dropout) for _ in range(n_layers))
        self.norm = LayerNorm(d_model)
        self._initialize()

    @torch.no_grad()
    def _initialize(self) -> None:
        """GPT-2's: normal with 0.02, and less where a layer adds to the residual stream."""
        into_stream = ("attention.w_o.weight", "feed_forward.w_2.weight")
        for name, parameter in self.named_parameters():
            if parameter.dim() > 1:
                layers = 2 * len(self.blocks) if name.endswith(into_stream) else 1
                nn.init.normal_(parameter, std=0.02 / math.sqrt(layers))
            elif name.endswith("bias"):
                nn.init.zeros_(parameter)

    def forward(
        self,
        token_ids: Int[Tensor, "batch n"],
        cache: list[KeysAndValues] | None = None,
        texts: Int[Tensor, "batch n"] | None = None,
    ) -> Float[Tensor, "batch n_new vocab_size"]:
        """The logits of the token after each position.

        With a `cache`, one entry a block, `token_ids` are still the whole texts, but only the
        positions after those that it has are read and returned; they are added to it. With
        `texts`, rows are packed (see `packing`), and no text reads another.
        Raises ValueError for more tokens than positions were learned.
        """
        known = 0
        if cache is not None and cache[0].keys is not None:
            known = cache[0].keys.shape[2]
        mask = padding_mask(token_ids, self.pad_id) if texts is None else block_mask(texts)
        mask = mask & causal_mask(token_ids.shape[1], token_ids.device)
        places = self._places(token_ids) if texts is None else restarted_positions(texts)
        places = places[:, known:]
        x = self.dropout(self._embedded(token_ids[:, known:], places))
        turned = places if self.kind == "rotary" else None
        for number, block in enumerate(self.blocks):
            kept = None if cache is None else cache[number]
            x, _ = block(x, mask[:, :, known:], positions=turned, cache=kept)
        return self.norm(x) @ self.tokens.weight.T

    def _places(self, token_ids: Int[Tensor, "batch n"]) -> Int[Tensor, "batch n"]:
        """The position of each token, from 0; padding does not count."""
        real = token_ids != self.pad_id
        return (real.cumsum(dim=1) - 1).clamp(min=0)

    def _embedded(
        self, token_ids: Int[Tensor, "batch n"], places: Int[Tensor, "batch n"]
    ) -> Float[Tensor, "batch n d_model"]:
        x = self.tokens(token_ids)
        if self.positions is not None:
            longest, most = self.positions.num_embeddings, int(places.max()) + 1
            if most > longest:
                raise ValueError(
                    f"{most} tokens, but positions were learned for {longest}: "
                    "give a shorter text, or use sinusoidal or rotary positions"
                )
            return x + self.positions(places)
        if self.kind == "sinusoidal":
            table = sinusoidal_positions(int(places.max()) + 1, x.shape[-1]).to(x)
            return x + self.position_scale * table[places]
        return x
