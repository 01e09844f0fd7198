"""Three sizes of the same training: for a test, for a laptop, for a GPU.

    settings = profile("cpu")
    model = EncoderClassifier(vocab_size, **settings.sizes)
    optimizer, schedule = optimizer_and_schedule(model, settings, n_steps)

What differs from the paper, and why, is said in the solution of assignment 3; results of the
profiles stand in `results/`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import torch
from torch import nn
from torch.optim.lr_scheduler import LambdaLR, LRScheduler


@dataclass(frozen=True)
class Profile:
    """How a sentence classifier is built and trained."""

    name: str
    dataset: str
    sizes: Mapping[str, Any]  # of EncoderClassifier
    vocab_size: int
    epochs: int
    min_frequency: int = 2  # of a word, to have a token of its own
    max_tokens: int = 2048  # a batch
    learning_rate: float = 1e-3  # the highest
    warmup: float = 0.1  # share of all steps; linear to 0 afterwards
    weight_decay: float = 0.01
    label_smoothing: float = 0.1
    word_dropout: float = 0.0  # share of the words that training reads as [UNK]
    word_scale: float = 1.0  # of the embeddings at the start, beside the paper's
    average_from: float = 0.3  # share of all steps after which weights are averaged
    seed: int = 0
    train_limit: int | None = None  # training sentences; None: all
    long_train_limit: int = 2000  # reviews of the long-sequence set

    def __str__(self) -> str:
        sizes = ", ".join(f"{name} {value}" for name, value in self.sizes.items())
        return f"profile {self.name}: {self.epochs} epochs of {self.dataset}; {sizes}"


_SMALL = {"d_model": 64, "n_heads": 4, "d_ff": 256, "position_scale": 0.2}

PROFILES = {
    "tiny": Profile(
        "tiny",
        "generated_sentences",
        {"n_layers": 2, "d_model": 32, "n_heads": 4, "d_ff": 64, "dropout": 0.0},
        vocab_size=1000,
        epochs=12,
        min_frequency=1,
        max_tokens=512,
        learning_rate=1e-2,
        average_from=0.7,
        long_train_limit=200,
    ),
    "cpu": Profile(
        "cpu",
        "sst2",
        {"n_layers": 2, "dropout": 0.3, **_SMALL},
        vocab_size=10_000,
        epochs=3,
        word_dropout=0.3,
        word_scale=0.3,
    ),
    "colab": Profile(
        "colab",
        "sst2",
        {"n_layers": 6, "dropout": 0.3, "norm_first": True, **_SMALL},
        vocab_size=10_000,
        epochs=3,
        word_dropout=0.3,
        word_scale=0.3,
    ),
}


def profile(name: str) -> Profile:
    """Raises ValueError with the profiles there are."""
    if name not in PROFILES:
        raise ValueError(f"there is no profile {name!r}: choose one of {', '.join(PROFILES)}")
    return PROFILES[name]


def optimizer_and_schedule(
    model: nn.Module, settings: Profile, n_steps: int
) -> tuple[torch.optim.Optimizer, LRScheduler]:
    """AdamW with the paper's β (§5.3), and a rate that rises linearly and falls linearly to 0.

    The paper's schedule was made for a training without an end; for a short one that is known
    beforehand the last steps should be small. Biases and norms are not decayed.
    """
    matrices = [p for p in model.parameters() if p.ndim > 1]
    others = [p for p in model.parameters() if p.ndim <= 1]
    groups: list[dict[str, Any]] = [{"params": matrices}, {"params": others, "weight_decay": 0.0}]
    optimizer = torch.optim.AdamW(
        groups,
        lr=settings.learning_rate,
        betas=(0.9, 0.98),
        weight_decay=settings.weight_decay,
    )
    rising = max(1, round(settings.warmup * n_steps))

    def rate(step: int) -> float:  # torch counts from 0
        return min((step + 1) / rising, (n_steps - step) / max(1, n_steps - rising), 1.0)

    return optimizer, LambdaLR(optimizer, rate)


@torch.no_grad()
def scale_words(model: Any, settings: Profile) -> None:
    """Let the embeddings of an untrained `EncoderClassifier` start `word_scale` times as large."""
    model.embedding.tokens.weight *= settings.word_scale
