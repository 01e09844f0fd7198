"""The whole Transformer: encoder, decoder, and one shared matrix for embeddings and logits.

Paper statements R34, R60 (lectures/paper_audit.md).
"""

from jaxtyping import Bool, Float, Int
from torch import Tensor, nn

from .decoder import Decoder
from .embeddings import TransformerEmbedding
from .encoder import Encoder
from .masks import padding_mask, target_mask


class Transformer(nn.Module):
    """The encoder-decoder of the paper (§3.1, Figure 1) over one joint vocabulary.

    Source, target and output share one matrix (§3.4), the weight of `embedding.tokens`. The
    submodules are `embedding`, `encoder` and `decoder`; there are no other parameters.
    """

    def __init__(
        self,
        vocab_size: int,
        n_layers: int = 6,
        d_model: int = 512,
        n_heads: int = 8,
        d_ff: int = 2048,
        dropout: float = 0.1,
        norm_first: bool = False,
        pad_id: int = 0,
        position_scale: float = 1.0,
    ) -> None:  # given
        super().__init__()
        self.pad_id = pad_id
        # §3.4 — "we share the same weight matrix between the two embedding layers and the
        # pre-softmax linear transformation"
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
        self.decoder = Decoder(
            n_layers=n_layers,
            d_model=d_model,
            n_heads=n_heads,
            d_ff=d_ff,
            dropout=dropout,
            norm_first=norm_first,
        )
        for parameter in [*self.encoder.parameters(), *self.decoder.parameters()]:
            if parameter.dim() > 1:
                nn.init.xavier_uniform_(parameter)

    def encode(
        self, source_ids: Int[Tensor, "batch n_source"]
    ) -> tuple[Float[Tensor, "batch n_source d_model"], Bool[Tensor, "batch 1 1 n_source"]]:
        """`(memory, source_mask)`: the encoder's output, and its padding mask."""
        mask = padding_mask(source_ids, self.pad_id)
        return self.encoder(self.embedding(source_ids), mask)[0], mask

    def decode(
        self,
        target_ids: Int[Tensor, "batch n_target"],
        memory: Float[Tensor, "batch n_source d_model"],
        source_mask: Bool[Tensor, "batch 1 1 n_source"],
        need_weights: bool = False,
    ) -> tuple[Float[Tensor, "batch n_target vocab_size"], list[Tensor] | None]:
        """`(logits, weights)`: for every prefix of the targets, the logits of the next token."""
        mask = target_mask(target_ids, self.pad_id)
        x, weights = self.decoder(
            self.embedding(target_ids), memory, mask, source_mask, need_weights
        )
        return self.logits(x), weights

    def logits(self, x: Float[Tensor, "*batch d_model"]) -> Float[Tensor, "*batch vocab_size"]:
        """Vectors to logits over the vocabulary, by the transposed embedding matrix (§3.4)."""
        return x @ self.embedding.tokens.weight.T

    def forward(
        self,
        source_ids: Int[Tensor, "batch n_source"],
        target_ids: Int[Tensor, "batch n_target"],
        need_weights: bool = False,
    ) -> tuple[Float[Tensor, "batch n_target vocab_size"], list[Tensor] | None]:
        """`(logits, weights)` for targets that begin with the start token (§3.1).

        Position i of the logits predicts token i + 1: the caller shifts the labels.
        """
        memory, source_mask = self.encode(source_ids)
        return self.decode(target_ids, memory, source_mask, need_weights)
