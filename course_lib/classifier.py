"""A sentence classifier: embeddings, encoder, one vector per sentence, one linear layer.

Paper statement R76 (lectures/paper_audit.md).
"""

from jaxtyping import Bool, Float, Int
from torch import Tensor, nn

from .embeddings import TransformerEmbedding
from .encoder import Encoder
from .masks import padding_mask


def masked_mean(
    x: Float[Tensor, "batch n d_model"], mask: Bool[Tensor, "batch 1 1 n"]
) -> Float[Tensor, "batch d_model"]:
    """The mean over the real tokens of each sentence; zeros for a sentence without any.

    `mask` is a padding mask, True at real tokens. Padding does not count, in the sum or in the
    number, not even when it is NaN.
    """
    real = mask[:, 0, 0, :, None]
    total = x.masked_fill(~real, 0.0).sum(dim=1)
    return total / real.sum(dim=1).clamp(min=1)


class EncoderClassifier(nn.Module):
    """The encoder of the paper with a linear classifier over one vector per sentence.

    `pooling` selects the vector: "mean" of the real tokens, or "cls", the vector of the first
    token, [CLS], which the tokenizer adds (Devlin et al. 2019). The submodules are `embedding`,
    `encoder`, `dropout` and `output`. `position_scale` is passed to the embedding.
    Raises ValueError for any other `pooling`.
    """

    def __init__(
        self,
        vocab_size: int,
        n_classes: int = 2,
        n_layers: int = 6,
        d_model: int = 512,
        n_heads: int = 8,
        d_ff: int = 2048,
        dropout: float = 0.1,
        norm_first: bool = False,
        pooling: str = "mean",
        pad_id: int = 0,
        position_scale: float = 1.0,
    ) -> None:
        super().__init__()
        if pooling not in ("mean", "cls"):
            raise ValueError(f"pooling = {pooling!r} is unknown: choose 'mean' or 'cls'")
        self.pooling, self.pad_id = pooling, pad_id
        self.embedding = TransformerEmbedding(
            vocab_size, d_model, dropout, pad_id, position_scale=position_scale
        )
        self.encoder = Encoder(
            n_layers=n_layers,
            d_model=d_model,
            n_heads=n_heads,
            d_ff=d_ff,
            dropout=dropout,
            norm_first=norm_first,
        )
        self.dropout = nn.Dropout(dropout)
        self.output = nn.Linear(d_model, n_classes)

    def forward(
        self, token_ids: Int[Tensor, "batch n"], need_weights: bool = False
    ) -> tuple[Float[Tensor, "batch n_classes"], list[Tensor] | None]:
        """`(logits, weights)`: one tensor of weights per layer, or None without `need_weights`."""
        mask = padding_mask(token_ids, self.pad_id)
        x, weights = self.encoder(self.embedding(token_ids), mask, need_weights)
        pooled = masked_mean(x, mask) if self.pooling == "mean" else x[:, 0]
        return self.output(self.dropout(pooled)), weights
