"""Training profiles of the language model: for a test, for a laptop, for a GPU.

settings = profile("cpu")
trained = train_language_model(load(settings.dataset), settings, seed=0)
"""

from dataclasses import dataclass

from ..config import TransformerConfig
from ..families.language_model import Positions
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
        TransformerConfig(n_layers=2, d_model=96, n_heads=4, d_ff=384, dropout=0.0),
        vocab_size=2000,
        epochs=7,
        max_tokens=512,
    ),
    # WikiText-2 has so few words that dropout decides: these are sizes for a GPU, not measured yet.
    "gpu": LanguageProfile(
        "gpu",
        "wikitext_2",
        TransformerConfig(n_layers=6, d_model=512, n_heads=8, d_ff=2048, dropout=0.3),
        vocab_size=10_000,
        epochs=20,
        max_tokens=16_384,
        learning_rate=1e-3,
        text="text",
        length=256,
    ),
}


def profile(name: str) -> LanguageProfile:
    """The profile of this name. Raises ValueError, listing the known ones."""
    return chosen(PROFILES, name)
