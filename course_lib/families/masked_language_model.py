"""An encoder-only model that fills gaps: BERT (Devlin et al. 2019), of the course's own layers.

    model = MaskedLanguageModel(BertEncoder(vocab_size, n_layers=2, d_model=128, n_heads=4))
    logits, _ = model(token_ids)           # the word at each position, [MASK] or not

It reads in both directions, so it learns from the words that `data.masking` hides. What BERT
changed of the paper's encoder: GELU, learned positions, an embedding of the segment, a norm after
the sum of the three, and a smaller initialization. The norm of a layer still comes last.
"""

import torch
from jaxtyping import Bool, Float, Int
from torch import Tensor, nn
from torch.nn import functional as F

from ..encoder import Encoder
from ..masks import padding_mask
from ..normalization import LayerNorm
from .gelu_feed_forward import GeluFeedForward


class BertEncoder(nn.Module):
    """The vectors of a text: `Encoder(Dropout(LayerNorm(token + position + segment)))`.

    The submodules are `tokens`, `positions` and `segments`, all `nn.Embedding`, `norm`, `dropout`
    and `encoder`. Padding, `pad_id`, is at the end of a row and is not attended to. The
    published model has 12 layers; without `n_segments` there is no embedding of segments.
    """

    def __init__(
        self,
        vocab_size: int,
        n_layers: int = 12,
        d_model: int = 768,
        n_heads: int = 12,
        d_ff: int = 3072,
        dropout: float = 0.1,
        norm_first: bool = False,
        max_length: int = 512,
        n_segments: int = 2,
        pad_id: int = 0,
    ) -> None:
        super().__init__()
        self.pad_id = pad_id
        self.tokens = nn.Embedding(vocab_size, d_model)
        self.positions = nn.Embedding(max_length, d_model)
        self.segments = nn.Embedding(n_segments, d_model) if n_segments else None
        self.norm = LayerNorm(d_model)
        self.dropout = nn.Dropout(dropout)
        self.encoder = Encoder(n_layers, d_model, n_heads, d_ff, dropout, norm_first)
        for layer in self.encoder.layers:
            layer.feed_forward = GeluFeedForward(d_model, d_ff, approximate="none")
        start_small(self)

    def forward(
        self,
        token_ids: Int[Tensor, "batch n"],
        segment_ids: Int[Tensor, "batch n"] | None = None,
        need_weights: bool = False,
    ) -> tuple[Float[Tensor, "batch n d_model"], list[Tensor] | None]:
        """`(vectors, weights)`: one tensor of weights per layer, or None without `need_weights`.

        Without `segment_ids` all tokens are of segment 0.
        Raises ValueError for more tokens than positions were learned.
        """
        n, longest = token_ids.shape[1], self.positions.num_embeddings
        if n > longest:
            raise ValueError(
                f"{n} tokens, but positions were learned for {longest}: give a shorter text"
            )
        x = self.tokens(token_ids) + self.positions.weight[:n]
        if self.segments is not None:
            x = x + (self.segments.weight[0] if segment_ids is None else self.segments(segment_ids))
        x = self.dropout(self.norm(x))
        return self.encoder(x, padding_mask(token_ids, self.pad_id), need_weights)


class MaskedLanguageModel(nn.Module):
    """Predicts hidden words: `LayerNorm(GELU(x W + b)) Eᵀ + c`, where E embeds the tokens.

    With `next_sentence`, it also tells from the first token, [CLS], whether the second segment
    followed the first in the text. The submodules are `encoder`, `transform` (W, b), `norm`,
    `bias` (c), and `pooler` and `next_sentence`, which are None without that task.
    """

    def __init__(self, encoder: BertEncoder, next_sentence: bool = False) -> None:
        super().__init__()
        vocab_size, d_model = encoder.tokens.weight.shape
        self.encoder = encoder
        self.transform = nn.Linear(d_model, d_model)
        self.norm = LayerNorm(d_model)
        self.bias = nn.Parameter(torch.zeros(vocab_size))
        self.pooler = Pooler(d_model) if next_sentence else None
        self.next_sentence = nn.Linear(d_model, 2) if next_sentence else None
        for part in (self.transform, self.pooler, self.next_sentence):
            if part is not None:
                start_small(part)

    def forward(
        self,
        token_ids: Int[Tensor, "batch n"],
        segment_ids: Int[Tensor, "batch n"] | None = None,
        at: Bool[Tensor, "batch n"] | None = None,
    ) -> tuple[Float[Tensor, "*positions vocab_size"], Float[Tensor, "batch 2"] | None]:
        """`(logits, next_logits)`: of the tokens, and of "follows" and "does not", or None.

        With `at`, the first are those of the positions where it is True, one after the other:
        a training needs only the hidden ones, and the vocabulary is large.
        """
        x, _ = self.encoder(token_ids, segment_ids)
        y = x if at is None else x[at]
        y = self.norm(F.gelu(self.transform(y)))
        logits = y @ self.encoder.tokens.weight.T + self.bias
        if self.pooler is None or self.next_sentence is None:
            return logits, None
        return logits, self.next_sentence(self.pooler(x))


class Pooler(nn.Module):
    """One vector for a text: `tanh(x₀ W + b)`, where x₀ is the vector of the first token, [CLS]."""

    def __init__(self, d_model: int) -> None:
        super().__init__()
        self.linear = nn.Linear(d_model, d_model)

    def forward(self, x: Float[Tensor, "batch n d_model"]) -> Float[Tensor, "batch d_model"]:
        return torch.tanh(self.linear(x[:, 0]))


@torch.no_grad()
def start_small(model: nn.Module) -> None:
    """BERT's initialization, in place: matrices normal with 0.02, biases 0."""
    for name, parameter in model.named_parameters():
        if parameter.dim() > 1:
            nn.init.normal_(parameter, std=0.02)
        elif name.endswith("bias"):
            nn.init.zeros_(parameter)
