"""An encoder that others have trained, to fine-tune or to take as it is.

start = published("minilm")
tuned = fine_tune(start, load("sst2_sentences")["train"][:1000], PUBLISHED, seed=0)
vectors = start.vectors(["A fine film."])        # for a linear layer alone
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import torch
from torch import Tensor

from ..data.batching import batches_in_order
from ..data.models.published_model import load_model
from ..data.registry import Source
from ..data.tokenizer import Tokenizer
from ..families.masked_language_model import BertEncoder
from ..families.published_encoder import encoder_from, sentence_vectors
from ..fast.forms import fast_model
from .masked_language import read

MAX_TOKENS = 4096  # of a batch


@dataclass(frozen=True)
class PublishedEncoder:
    """A published encoder in the course's own form, with its tokenizer."""

    name: str
    origin: str
    encoder: BertEncoder
    tokenizer: Tokenizer

    @torch.no_grad()
    def vectors(self, texts: Sequence[str], length: int = 64) -> Tensor:
        """One vector of length 1 per text, which is cut to `length` tokens."""
        encoder, sequences = self.encoder.eval(), read(self.tokenizer, texts, length)
        found = torch.empty(len(sequences), encoder.tokens.embedding_dim)
        for indices, token_ids in batches_in_order(sequences, MAX_TOKENS):
            found[indices] = sentence_vectors(encoder, token_ids)
        return found


def published(name: str, sources: Iterable[Source] | None = None) -> PublishedEncoder:
    """A model of `data/registry.toml`, with fast forms. Raises DataError without a source."""
    model = load_model(name, sources)
    encoder = fast_model(encoder_from, model.config, model.weights)
    return PublishedEncoder(model.name, model.origin, encoder, model.tokenizer)
