"""One training step of a profile: its untrained model, and random tokens in a batch of its size."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor, nn

from course_lib.classifier import EncoderClassifier
from course_lib.data.masking import mask_tokens
from course_lib.fast.forms import fast_model
from course_lib.recipes import (
    classifier_profiles,
    language_profiles,
    masked_language_profiles,
    translation_profiles,
)
from course_lib.recipes.language import transformer
from course_lib.recipes.masked_language import untrained
from course_lib.recipes.profiles import Profile
from course_lib.recipes.translation import untrained_model
from course_lib.training.classification_loss import classification_loss
from course_lib.training.language_losses import language_loss, masked_language_loss
from course_lib.training.translation_loss import translation_loss

WORDS = {"classifier": 24, "translator": 16}  # tokens of a sentence, typical for SST-2, Multi30k
PROFILES: dict[str, Any] = {
    "classifier": classifier_profiles.PROFILES,
    "translator": translation_profiles.PROFILES,
    "language": language_profiles.PROFILES,
    "masked": masked_language_profiles.PROFILES,
}


@dataclass(frozen=True)
class Work:
    """The computation of a step: `loss(model, *batch)`, its gradient, an update by `optimizer`."""

    settings: Profile
    model: nn.Module
    loss: Callable[..., tuple[Tensor, dict[str, Tensor]]]
    batch: tuple[Tensor, ...]

    def optimizer(self) -> torch.optim.Optimizer:
        return torch.optim.AdamW(self.model.parameters(), lr=1e-4)

    @property
    def described(self) -> str:
        rows, n = self.batch[0].shape
        return f"random, a batch of {rows} × {n} tokens; {self.settings.model}"


def work(kind: str, profile: str) -> Work:
    """The step of a kind of model and a profile. Raises ValueError, listing the known ones."""
    if kind not in PROFILES:
        raise ValueError(f"there is no model {kind!r}: choose one of {', '.join(PROFILES)}")
    if profile not in PROFILES[kind]:
        known = ", ".join(PROFILES[kind])
        raise ValueError(f"there is no profile {profile!r} of a {kind}: choose one of {known}")
    settings = PROFILES[kind][profile]
    device = "cuda" if torch.cuda.is_available() else "cpu"
    torch.manual_seed(settings.seed)
    model, loss, batch = _parts(kind, settings)
    return Work(settings, model.to(device), loss, tuple(tensor.to(device) for tensor in batch))


def _parts(kind: str, settings: Any) -> tuple[nn.Module, Any, tuple[Tensor, ...]]:
    words, sizes = settings.vocab_size, settings.model
    if kind == "classifier":
        ids = _ids(settings.max_tokens, WORDS[kind], words)
        model = fast_model(EncoderClassifier, words, **sizes.arguments)
        return model, classification_loss, (ids, torch.randint(0, 2, (len(ids),)))
    if kind == "translator":
        source, target = (_ids(settings.max_tokens, WORDS[kind], words) for _ in "st")
        return untrained_model(words, settings, settings.seed), translation_loss, (source, target)
    if kind == "language":
        return transformer(words, settings), language_loss, (_block(settings),)
    ids = _ids(settings.max_tokens, settings.length, words)
    masked = mask_tokens(ids, words, torch.default_generator, settings.share)
    return untrained(words, settings), masked_language_loss, masked


def _ids(tokens: int, n: int, vocab_size: int) -> Tensor:
    return torch.randint(5, vocab_size, (max(1, tokens // n), n))


def _block(settings: Any) -> Tensor:
    rows = max(1, settings.max_tokens // settings.length)
    return torch.randint(5, settings.vocab_size, (rows, settings.length + 1))
