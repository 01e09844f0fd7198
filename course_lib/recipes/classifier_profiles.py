"""Training profiles of the sentence classifier: for a test, for a laptop, for a GPU.

    settings = profile("cpu")
    model = EncoderClassifier(vocab_size, **settings.model.arguments)
    optimizer, schedule = optimizer_and_schedule(model, settings, n_steps)

The solution of assignment 3 explains what differs from the paper; results of the profiles are in
`results/`.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from ..config import PRESETS
from .profiles import Profile, chosen


@dataclass(frozen=True)
class ClassifierProfile(Profile):
    """How a sentence classifier is built and trained; tokens are words."""

    max_tokens: int = 2048
    learning_rate: float = 1e-3
    average_from: float = 0.3
    word_dropout: float = 0.0  # share of the words that training reads as [UNK]
    long_train_limit: int = 2000  # reviews of the long-sequence set


_SMALL = replace(PRESETS["tiny"], dropout=0.3, position_scale=0.2)

PROFILES = {
    "tiny": ClassifierProfile(
        "tiny",
        "generated_sentences",
        replace(PRESETS["tiny"], d_model=32, d_ff=64),
        vocab_size=1000,
        epochs=12,
        min_frequency=1,
        max_tokens=512,
        learning_rate=1e-2,
        average_from=0.7,
        long_train_limit=200,
    ),
    "cpu": ClassifierProfile(
        "cpu",
        "sst2",
        _SMALL,
        vocab_size=10_000,
        epochs=3,
        word_dropout=0.3,
        word_scale=0.3,
    ),
    "colab": ClassifierProfile(
        "colab",
        "sst2",
        replace(_SMALL, n_layers=6, norm_first=True),
        vocab_size=10_000,
        epochs=3,
        word_dropout=0.3,
        word_scale=0.3,
    ),
}


def profile(name: str) -> ClassifierProfile:
    """The profile of this name. Raises ValueError, listing the known ones."""
    return chosen(PROFILES, name)
