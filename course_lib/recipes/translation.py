"""Train a translator, from raw sentence pairs to a trained model (assignment 4).

trained = train_translator(load("multi30k_en_fr"), profile("cpu"), seed=0)
trained.translator.translate(["Two dogs play in the snow."])

The solution of assignment 4 explains what differs from the paper. The results of "cpu" and "colab"
are in `results/`; "base" and "big" have not been measured yet.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import torch
from torch import nn

from ..config import PRESETS
from ..data.datasets import LoadedData
from ..data.pair_batching import PairBuckets
from ..data.tokenization import TextTokenizer
from ..decoding.translator import Translator
from ..evaluation.translation import bleu
from ..fast.forms import use_fast_forms
from ..training.translation_loss import translation_loss
from ..transformer import Transformer
from .profiles import Profile, chosen, fit_by, scale_words


@dataclass(frozen=True)
class TranslationProfile(Profile):
    """How a `Transformer` is built and trained to translate.

    Both languages share one vocabulary (§5.1) of byte pairs, and the size of a batch is that of its
    longer side.
    """

    max_tokens: int = 1024
    learning_rate: float = 3e-3
    average_from: float = 0.6
    source: str = "en"  # the column to translate
    target: str = "fr"  # the column of the translations
    length_penalty: float = 1.0  # of beam search; 0.6 in the paper (§6.1)
    sample: int = 200  # validation sentences translated after each epoch, for the progress line


PROFILES = {
    "tiny": TranslationProfile(
        "tiny",
        "grammar_en_fr",
        PRESETS["tiny"],
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
        PRESETS["tiny"],
        vocab_size=2000,
        epochs=9,
        learning_rate=5e-3,
        label_smoothing=0.05,
        sample=100,
    ),
    "cpu": TranslationProfile(
        "cpu",
        "multi30k_en_fr",
        PRESETS["cpu"],
        vocab_size=4000,
        epochs=10,
    ),
    "colab": TranslationProfile(
        "colab",
        "multi30k_en_fr",
        PRESETS["colab"],
        vocab_size=6000,
        epochs=30,
        max_tokens=4096,
        learning_rate=2e-3,
    ),
    # The base model with more dropout, since the corpus is a hundred times smaller.
    "base": TranslationProfile(
        "base",
        "multi30k_en_fr",
        replace(PRESETS["base"], dropout=0.3),
        vocab_size=8000,
        epochs=40,
        max_tokens=4096,
        learning_rate=7e-4,
    ),
    "big": TranslationProfile(
        "big",
        "wmt14_en_fr",
        PRESETS["big"],
        vocab_size=37_000,
        epochs=1,
        max_tokens=4096,
        learning_rate=5e-4,
        warmup=0.04,
    ),
}


def profile(name: str) -> TranslationProfile:
    """The profile of this name. Raises ValueError, listing the known ones."""
    return chosen(PROFILES, name)


@dataclass(frozen=True)
class TrainedTranslator:
    """A trained Transformer with its tokenizer, history and training cost."""

    model: Transformer
    tokenizer: TextTokenizer
    length_penalty: float  # of its searches
    history: list[dict[str, float]]
    tokens: int  # real tokens of the whole training, both sides
    cpu_seconds: float  # of this process, everything included
    wall_seconds: float

    @property
    def translator(self) -> Translator:
        return Translator(self.model, self.tokenizer, self.length_penalty)


def train_translator(
    data: LoadedData,
    settings: TranslationProfile,
    seed: int,
    progress: bool = False,
    folder: str | None = None,
    after_step: Callable[[nn.Module, int], None] | None = None,
) -> TrainedTranslator:
    """Train by `settings` on the training split; a validation sample only monitors progress.

    Both languages share one vocabulary (§5.1). The final weights are the average from
    `settings.average_from` on. `after_step(model, step)` sees the model after every step.
    """
    wall, cpu = time.perf_counter(), time.process_time()
    tokenizer, batches = pairs_to_batches(data, settings, seed)
    model = untrained_model(tokenizer.vocab_size, settings, seed)
    validation = data["validation"][: settings.sample]

    def evaluate(model: Any) -> dict[str, float]:
        translator = Translator(model, tokenizer, settings.length_penalty)
        translations = translator.translate(validation[settings.source], width=1)
        return {"sample_bleu": bleu(translations, validation[settings.target]).value}

    history = fit_by(
        settings, model, batches, translation_loss, evaluate, progress, folder, after_step
    )
    sides = (batches.source_ids, batches.target_ids)
    return TrainedTranslator(
        model,
        tokenizer,
        settings.length_penalty,
        history,
        tokens=settings.epochs * sum(len(ids) for side in sides for ids in side),
        cpu_seconds=time.process_time() - cpu,
        wall_seconds=time.perf_counter() - wall,
    )


def pairs_to_batches(
    data: LoadedData, settings: TranslationProfile, seed: int
) -> tuple[TextTokenizer, PairBuckets]:
    """A reversible byte-pair tokenizer trained on both languages, and the training batches."""
    pairs = data["train"][: settings.train_limit or len(data["train"])]
    sources, targets = pairs[settings.source], pairs[settings.target]
    tokenizer = TextTokenizer.train(
        [*sources, *targets],
        kind="bpe",
        vocab_size=settings.vocab_size,
        min_frequency=settings.min_frequency,
        lowercase=False,
        reversible=True,
    )
    source_ids, target_ids = tokenizer.encode(sources), tokenizer.encode(targets)
    return tokenizer, PairBuckets(source_ids, target_ids, settings.max_tokens, seed)


def untrained_model(vocab_size: int, settings: TranslationProfile, seed: int) -> Transformer:
    """A Transformer with fast forms, initialized from `seed`."""
    torch.manual_seed(seed)
    model = Transformer(vocab_size, **settings.model.arguments)
    use_fast_forms(model)
    scale_words(model, settings)
    return model
