"""Which words of a sentence a translator attends to as it generates each word of a translation."""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
import torch

from ..data.grammar.sentence_pairs import words
from ..data.tokenizer import START, Tokenizer
from ..data.word_spans import word_numbers
from ..evaluation_mode import evaluating

LAYER = -1  # the last layer's cross-attention follows the words most closely


class WordAlignment(NamedTuple):
    """The words of both sides, and `weights`, (target words, source words), each row at most 1."""

    source: list[str]
    target: list[str]
    weights: np.ndarray


@torch.no_grad()
def attended(
    model: torch.nn.Module,
    tokenizer: Tokenizer,
    source: str,
    target: str,
    word_weights: Callable[..., np.ndarray],
) -> WordAlignment:
    """The words attended to, by the course's `word_weights` or by a student's own (§3.2.3)."""
    (source_ids,), (target_ids,) = tokenizer.encode([source]), tokenizer.encode([target])
    device = next(model.parameters()).device
    source_batch = torch.tensor([source_ids], device=device)
    decoder_input = torch.tensor([[START, *target_ids]], device=device)
    with evaluating(model):
        _, weights = model(source_batch, decoder_input, need_weights=True)
    # Row i has read i target tokens and predicts the next one; the last row predicts END.
    predicting = weights[LAYER][0, :, :-1].cpu().numpy()
    numbers = word_numbers(tokenizer, target), word_numbers(tokenizer, source)
    return WordAlignment(words(source), words(target), word_weights(predicting, *numbers))
