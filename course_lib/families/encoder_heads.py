"""Heads for a pre-trained encoder: classes of texts, of tokens, and spans.

    classifier = classifier_from(model.encoder, n_classes=2)    # a copy of the encoder keeps
    logits, _ = classifier(token_ids)                           # learning with the new layer

Each is the encoder and one new linear layer.
"""

import copy
import math

from jaxtyping import Float, Int
from torch import Tensor, nn

from ..classifier import masked_mean
from ..masks import padding_mask
from .masked_language_model import BertEncoder, Pooler, start_small

Ids = Int[Tensor, "batch n"]


class TextClassifier(nn.Module):
    """A class for each text, or each pair of segments: `Dropout(pooled) W + b`.

    `pooling` selects the vector: "cls", BERT's, by a `Pooler`, or "mean" of the real tokens.
    Raises ValueError for any other `pooling`.
    """

    def __init__(
        self,
        encoder: BertEncoder,
        n_classes: int = 2,
        dropout: float = 0.1,
        pooling: str = "cls",
    ) -> None:
        super().__init__()
        if pooling not in ("cls", "mean"):
            raise ValueError(f"pooling = {pooling!r} is unknown: choose 'cls' or 'mean'")
        d_model = encoder.tokens.embedding_dim
        self.encoder = encoder
        self.pooler = Pooler(d_model) if pooling == "cls" else None
        self.dropout = nn.Dropout(dropout)
        self.output = nn.Linear(d_model, n_classes)
        for part in (self.pooler, self.output):
            if part is not None:
                start_small(part)

    def forward(
        self, token_ids: Ids, segment_ids: Ids | None = None, need_weights: bool = False
    ) -> tuple[Float[Tensor, "batch n_classes"], list[Tensor] | None]:
        """`(logits, weights)`, as of `EncoderClassifier`."""
        x, weights = self.encoder(token_ids, segment_ids, need_weights)
        if self.pooler is None:
            pooled = masked_mean(x, padding_mask(token_ids, self.encoder.pad_id))
        else:
            pooled = self.pooler(x)
        return self.output(self.dropout(pooled)), weights


def classifier_from(
    encoder: BertEncoder, n_classes: int = 2, dropout: float = 0.1, pooling: str = "cls"
) -> TextClassifier:
    """A classifier to fine-tune, which begins with the weights of a pre-trained encoder.

    It trains a copy: the encoder itself stays as it is, for the next task.
    """
    return TextClassifier(copy.deepcopy(encoder), n_classes, dropout, pooling)


class TokenClassifier(nn.Module):
    """A class for each token, such as the kind of a name: `Dropout(x) W + b`."""

    def __init__(self, encoder: BertEncoder, n_classes: int, dropout: float = 0.1) -> None:
        super().__init__()
        self.encoder = encoder
        self.dropout = nn.Dropout(dropout)
        self.output = nn.Linear(encoder.tokens.embedding_dim, n_classes)
        start_small(self.output)

    def forward(
        self, token_ids: Ids, segment_ids: Ids | None = None
    ) -> Float[Tensor, "batch n n_classes"]:
        x, _ = self.encoder(token_ids, segment_ids)
        return self.output(self.dropout(x))


class SpanFinder(nn.Module):
    """Where a span, such as the answer to a question, begins and ends: two logits a token."""

    def __init__(self, encoder: BertEncoder) -> None:
        super().__init__()
        self.encoder = encoder
        self.output = nn.Linear(encoder.tokens.embedding_dim, 2)
        start_small(self.output)

    def forward(
        self, token_ids: Ids, segment_ids: Ids | None = None
    ) -> tuple[Float[Tensor, "batch n"], Float[Tensor, "batch n"]]:
        """`(starts, ends)`; at padding they are −∞, so no span begins or ends there."""
        x, _ = self.encoder(token_ids, segment_ids)
        padding = (token_ids == self.encoder.pad_id)[:, :, None]
        starts, ends = self.output(x).masked_fill(padding, -math.inf).unbind(-1)
        return starts, ends
