"""The word alignment of a sentence and its translation, by a translator's cross-attention.

found = align(translator, "Two dogs play.", "Deux chiens jouent.")
plot_alignment(found.weights, found.source, found.target)
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import torch

from ..data.grammar.sentence_pairs import words
from ..data.word_spans import word_numbers
from ..decoding.translator import Translator
from ..evaluation.translation import Links, alignment_error_rate
from .attention_alignment import alignment_links, word_weights

LAYER = -1  # the last layer's cross-attention follows the words most closely


class WordAlignment(NamedTuple):
    """The words of both sides, and `weights`, (target words, source words), each row at most 1."""

    source: list[str]
    target: list[str]
    weights: np.ndarray


@torch.no_grad()
def align(translator: Translator, source: str, target: str) -> WordAlignment:
    """The source words that the model attends to as it generates each target word (§3.2.3)."""
    model, tokenizer = translator.model, translator.tokenizer
    (source_ids,), (target_ids,) = tokenizer.encode([source]), tokenizer.encode([target])
    device = model.embedding.tokens.weight.device
    source_batch = torch.tensor([source_ids], device=device)
    decoder_input = torch.tensor([[tokenizer.START, *target_ids]], device=device)
    training = model.training
    _, weights = model.eval()(source_batch, decoder_input, need_weights=True)
    model.train(training)
    # Row i has read i target tokens and predicts the next one; the last row predicts END.
    predicting = weights[LAYER][0, :, :-1].cpu().numpy()
    numbers = word_numbers(tokenizer, target), word_numbers(tokenizer, source)
    return WordAlignment(words(source), words(target), word_weights(predicting, *numbers))


def error_rate(translator: Translator, pairs: Sequence[tuple[str, str, Links]]) -> float:
    """The alignment error rate, 0 (best) to 1, over pairs with their gold links."""
    found = [
        alignment_links(align(translator, source, target).weights) for source, target, _ in pairs
    ]
    return alignment_error_rate(found, [links for _, _, links in pairs])
