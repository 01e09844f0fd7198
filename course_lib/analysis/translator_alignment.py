"""The word alignment of a sentence and its translation, by a translator's cross-attention.

found = align(translator, "Two dogs play.", "Deux chiens jouent.")
plot_alignment(found.weights, found.source, found.target)
"""

from collections.abc import Sequence

from ..decoding.translator import Translator
from ..evaluation.translation import Links, alignment_error_rate
from .attended_words import WordAlignment, attended
from .attention_alignment import alignment_links, word_weights


def align(translator: Translator, source: str, target: str) -> WordAlignment:
    """The source words that the model attends to as it generates each target word (§3.2.3)."""
    return attended(translator.model, translator.tokenizer, source, target, word_weights)


def error_rate(translator: Translator, pairs: Sequence[tuple[str, str, Links]]) -> float:
    """The alignment error rate, 0 (best) to 1, over pairs with their gold links."""
    found = [
        alignment_links(align(translator, source, target).weights) for source, target, _ in pairs
    ]
    return alignment_error_rate(found, [links for _, _, links in pairs])
