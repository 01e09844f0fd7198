"""Recurrent language models, to compare with: an LSTM or a GRU in the Transformer's place."""

import math
from typing import Literal

from jaxtyping import Float, Int
from torch import Tensor, nn


class RecurrentLanguageModel(nn.Module):
    """`LanguageModel` with a recurrent network: one state is handed from token to token.

    Embeddings and logits share one matrix, and dropout is where it is there: on what enters each
    layer and on what leaves the last (Zaremba et al. 2014). The submodules are `tokens`, `network`
    and `dropout`. Raises ValueError for another `cell`.
    """

    def __init__(
        self,
        vocab_size: int,
        cell: Literal["lstm", "gru"] = "lstm",
        n_layers: int = 2,
        d_model: int = 256,
        dropout: float = 0.1,
    ) -> None:
        super().__init__()
        kinds = {"lstm": nn.LSTM, "gru": nn.GRU}
        if cell not in kinds:
            raise ValueError(f"cell = {cell!r}: choose lstm or gru")
        between = dropout if n_layers > 1 else 0.0
        self.tokens = nn.Embedding(vocab_size, d_model)
        nn.init.normal_(self.tokens.weight, std=1 / math.sqrt(d_model))
        self.network: nn.LSTM | nn.GRU = kinds[cell](
            d_model, d_model, n_layers, batch_first=True, dropout=between
        )
        self.dropout = nn.Dropout(dropout)

    def forward(self, token_ids: Int[Tensor, "batch n"]) -> Float[Tensor, "batch n vocab_size"]:
        """The logits of the token after each position."""
        x, _ = self.network(self.dropout(self.tokens(token_ids)))
        return self.dropout(x) @ self.tokens.weight.T


def recurrent_width(cell: str, n_layers: int, vocab_size: int, n_parameters: int) -> int:
    """The `d_model`, a multiple of 8, with which a model comes closest to `n_parameters`."""
    gates = {"lstm": 4, "gru": 3}[cell]

    def count(d_model: int) -> int:
        return vocab_size * d_model + n_layers * gates * (2 * d_model * d_model + 2 * d_model)

    return min(range(8, 4096, 8), key=lambda d_model: abs(count(d_model) - n_parameters))
