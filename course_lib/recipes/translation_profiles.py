"""Sizes of the same training of a translator: for a test, for a grammar, a laptop, a GPU.

    settings = profile("cpu")
    trained = train_translator(load(settings.dataset), settings, seed=0)

What differs from the paper, and why, is said in the solution of assignment 4. What "cpu" reaches
stands in `results/`; "colab", "base" and "large" are for a GPU, and nobody has measured them yet.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from .sizes import SIZES


@dataclass(frozen=True)
class TranslationProfile:
    """How a `Transformer` is built and trained to translate."""

    name: str
    dataset: str
    sizes: Mapping[str, Any]  # of Transformer
    vocab_size: int  # of the one vocabulary of both languages (§5.1)
    epochs: int
    source: str = "en"  # the column that is read
    target: str = "fr"  # the column that is written
    min_frequency: int = 2  # of a pair of characters, to become a token
    max_tokens: int = 1024  # a batch, on its longer side
    learning_rate: float = 3e-3  # the highest
    warmup: float = 0.1  # share of all steps; linear to 0 afterwards
    weight_decay: float = 0.01
    label_smoothing: float = 0.1
    word_scale: float = 1.0  # of the embeddings at the start, beside the paper's
    average_from: float = 0.6  # share of all steps after which weights are averaged
    seed: int = 0
    train_limit: int | None = None  # training pairs; None: all
    sample: int = 200  # validation sentences translated after each epoch, for the progress line

    def __str__(self) -> str:
        sizes = ", ".join(f"{name} {value}" for name, value in self.sizes.items())
        return f"profile {self.name}: {self.epochs} epochs of {self.dataset}; {sizes}"


PROFILES = {
    "tiny": TranslationProfile(
        "tiny",
        "grammar_en_fr",
        {"n_layers": 2, "d_model": 64, "n_heads": 4, "d_ff": 256, "dropout": 0.0},
        vocab_size=2000,
        epochs=6,
        learning_rate=5e-3,
        label_smoothing=0.05,
        train_limit=12_000,
        sample=100,
    ),
    "grammar": TranslationProfile(
        "grammar",
        "grammar_en_fr",
        SIZES["tiny"],
        vocab_size=2000,
        epochs=9,
        learning_rate=5e-3,
        label_smoothing=0.05,
        sample=100,
    ),
    "cpu": TranslationProfile(
        "cpu",
        "multi30k_en_fr",
        SIZES["cpu"],
        vocab_size=4000,
        epochs=10,
    ),
    "colab": TranslationProfile(
        "colab",
        "multi30k_en_fr",
        SIZES["colab"],
        vocab_size=6000,
        epochs=30,
        max_tokens=4096,
        learning_rate=2e-3,
    ),
    # The base model, but for a corpus a hundred times smaller: more dropout.
    "base": TranslationProfile(
        "base",
        "multi30k_en_fr",
        {**SIZES["base"], "dropout": 0.3},
        vocab_size=8000,
        epochs=40,
        max_tokens=4096,
        learning_rate=7e-4,
    ),
    "large": TranslationProfile(
        "large",
        "wmt14_en_fr",
        SIZES["large"],
        vocab_size=37_000,
        epochs=1,
        max_tokens=4096,
        learning_rate=5e-4,
        warmup=0.04,
    ),
}


def profile(name: str) -> TranslationProfile:
    """Raises ValueError with the profiles there are."""
    if name not in PROFILES:
        raise ValueError(f"there is no profile {name!r}: choose one of {', '.join(PROFILES)}")
    return PROFILES[name]
