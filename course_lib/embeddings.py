"""From token ids to the vectors that enter the first layer.

Paper statements R35, R36, R40, R54 (lectures/paper_audit.md).
"""

import math

import torch
from jaxtyping import Float, Int
from torch import Tensor, nn

from .positions import sinusoidal_positions


class TransformerEmbedding(nn.Module):
    """Token embeddings × √d_model, plus sinusoidal positions, then dropout (§3.4, §3.5, §5.4).

    The attributes are `tokens`, an `nn.Embedding` in which the row of `pad_id` stays zero,
    `positions`, the `table` of sinusoids (a buffer that is not saved), and `dropout`. The table
    grows when an input is longer than `max_length`. Raises ValueError for a `pad_id` that is no
    token, such as the −100 that torch's losses ignore.
    """

    positions: Tensor

    def __init__(
        self,
        vocab_size: int,
        d_model: int,
        dropout: float = 0.1,
        pad_id: int = 0,
        max_length: int = 512,
        position_scale: float = 1.0,
    ) -> None:  # given
        super().__init__()
        if not 0 <= pad_id < vocab_size:
            raise ValueError(f"pad_id = {pad_id} is no token: give one from 0 to {vocab_size - 1}")
        self.tokens = nn.Embedding(vocab_size, d_model, padding_idx=pad_id)
        with torch.no_grad():  # × √d_model gives embeddings and positions the same scale
            self.tokens.weight[:] = torch.randn(vocab_size, d_model) / math.sqrt(d_model)
            self.tokens.weight[pad_id] = 0.0
        self.position_scale = position_scale
        self.register_buffer("positions", self.table(max_length), persistent=False)
        self.dropout = nn.Dropout(dropout)

    def table(self, n_positions: int) -> Float[Tensor, "n_positions d_model"]:  # given
        """The sinusoids × `position_scale` (1.0 in the paper), on the embedding's device."""
        weight = self.tokens.weight
        return self.position_scale * sinusoidal_positions(n_positions, weight.shape[1]).to(weight)

    def forward(self, token_ids: Int[Tensor, "batch n"]) -> Float[Tensor, "batch n d_model"]:
        n, d_model = token_ids.shape[1], self.tokens.embedding_dim
        if n > len(self.positions):
            # §3.5 — sinusoids "may allow the model to extrapolate to sequence lengths longer than
            # the ones encountered during training"
            self.positions = self.table(n)
        # §3.4 — "In the embedding layers, we multiply those weights by √d_model"
        x = self.tokens(token_ids) * math.sqrt(d_model)
        # §3.5 — "so that the two can be summed"; §5.4 — dropout "to the sums"
        return self.dropout(x + self.positions[:n])
