"""The Transformer of Table 3's rows (B) and (E): heads of any width, learned positions.

    model = VariantTransformer(37_000, d_k=16)                   # row (B), the first line
    model = VariantTransformer(37_000, learned_positions=512)    # row (E)

Every other row is a `Transformer` of other sizes.
"""

from dataclasses import dataclass
from typing import Any

from jaxtyping import Float
from torch import Tensor, nn

from .attention import MultiHeadAttention
from .config import TransformerConfig
from .embeddings import TransformerEmbedding
from .positions import LearnedPositions
from .transformer import Transformer


@dataclass(frozen=True)
class VariantConfig(TransformerConfig):
    """Constructor arguments of `VariantTransformer`; None is the paper's base model."""

    d_k: int | None = None  # d_model / h
    d_v: int | None = None  # d_model / h
    learned_positions: int | None = None  # their number, in place of the sinusoids

    @classmethod
    def of(cls, model: Any) -> "VariantConfig":
        """The config of `model`, a `VariantTransformer`."""
        sizes = TransformerConfig.of(model)
        attention, positions = model.encoder.layers[0].attention, model.embedding.positions
        d_k = attention.w_q.out_features // sizes.n_heads
        d_v = attention.w_v.out_features // sizes.n_heads
        usual = sizes.d_model // sizes.n_heads
        return cls(
            **sizes.arguments,
            d_k=None if d_k == usual else d_k,
            d_v=None if d_v == usual else d_v,
            learned_positions=len(positions) if positions.requires_grad else None,
        )


class LearnedPositionEmbedding(TransformerEmbedding):
    """`TransformerEmbedding` with learned vectors in place of the sinusoids (Table 3, row E).

    One table of `max_length` rows, `positions`, serves source and target, as the words' does.
    """

    def __init__(
        self, vocab_size: int, d_model: int, dropout: float, pad_id: int, max_length: int
    ) -> None:
        super().__init__(vocab_size, d_model, dropout, pad_id, max_length)
        del self.positions
        self.positions = LearnedPositions(d_model, max_length).table

    def table(self, n_positions: int) -> Float[Tensor, "n_positions d_model"]:
        """The sinusoids, for the constructor only: what is learned cannot grow.

        Raises ValueError afterwards.
        """
        learned = dict(self.named_parameters(recurse=False)).get("positions")
        if learned is None:
            return super().table(n_positions)
        raise ValueError(
            f"{n_positions} tokens, but positions were learned for {len(learned)}: "
            "give a shorter text, or use sinusoids"
        )


class VariantTransformer(Transformer):
    """`Transformer` whose heads may have any `d_k` and `d_v`, with sinusoids or learned positions.

    With `d_k`, `d_v` and `learned_positions` None it is a `Transformer`.
    Raises ValueError for a width below 1.
    """

    def __init__(
        self,
        vocab_size: int,
        d_k: int | None = None,
        d_v: int | None = None,
        learned_positions: int | None = None,
        **sizes: Any,
    ) -> None:
        super().__init__(vocab_size, **sizes)
        if d_k is not None or d_v is not None:
            for part in self.modules():
                if isinstance(part, MultiHeadAttention):
                    _set_widths(part, d_k, d_v)
        if learned_positions is not None:
            d_model, dropout = self.embedding.tokens.embedding_dim, self.embedding.dropout.p
            self.embedding = LearnedPositionEmbedding(
                vocab_size, d_model, dropout, self.pad_id, learned_positions
            )


def _set_widths(part: MultiHeadAttention, d_k: int | None, d_v: int | None) -> None:
    """Give an attention new projections of h · d_k and h · d_v features (§3.2.2).

    Its own `forward` never asks how wide a head is.
    """
    d_model, h = part.w_q.in_features, part.n_heads
    keys = part.w_q.out_features if d_k is None else h * d_k
    values = part.w_v.out_features if d_v is None else h * d_v
    if keys < 1 or values < 1:
        raise ValueError(f"d_k = {d_k}, d_v = {d_v}: a head needs a width of at least 1")
    part.w_q, part.w_k = nn.Linear(d_model, keys), nn.Linear(d_model, keys)
    part.w_v, part.w_o = nn.Linear(d_model, values), nn.Linear(values, d_model)
    for layer in (part.w_q, part.w_k, part.w_v, part.w_o):
        nn.init.xavier_uniform_(layer.weight)
