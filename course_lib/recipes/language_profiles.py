"""Training profiles of the language model: for a test, for a laptop.

settings = profile("cpu")
trained = train_language_model(load(settings.dataset), settings, seed=0)
"""

from __future__ import annotations

from dataclasses import dataclass

from ..config import TransformerConfig
from ..language_model import Positions
from .profiles import Profile, chosen


@dataclass(frozen=True)
class LanguageProfile(Profile):
    """How a language model is built and trained; `max_tokens` is the size of a batch."""

    max_tokens: int = 2048
    learning_rate: float = 2e-3
    average_from: float = 0.7
    label_smoothing: float = 0.0  # perplexity is what counts
    text: str = "en"  # the column that is read
    length: int = 64  # tokens that a block reads
    positions: Positions = "rotary"
    packed: bool = False  # rows of whole texts that do not read each other, not cuts of a stream


PROFILES = {
    "tiny": LanguageProfile(
        "tiny",
        "grammar_en_fr",
        TransformerConfig(n_layers=2, d_model=64, n_heads=4, d_ff=128, dropout=0.0),
        vocab_size=1000,
        epochs=3,
        learning_rate=1e-2,
        train_limit=4000,
        length=32,
        max_tokens=512,
    ),
    "cpu": LanguageProfile(
        "cpu",
        "multi30k_en_fr",
        TransformerConfig(n_layers=4, d_model=128, n_heads=4, d_ff=512, dropout=0.2),
        vocab_size=4000,
        epochs=8,
    ),
}


def profile(name: str) -> LanguageProfile:
    """The profile of this name. Raises ValueError, listing the known ones."""
    return chosen(PROFILES, name)
