"""Train a translator, from raw sentence pairs to a trained model (assignment 4).

trained = train_translator(load("multi30k_en_fr"), profile("cpu"), seed=0)
trained.translator.translate(["Two dogs play in the snow."])
"""

import time
from dataclasses import dataclass
from typing import Any

import torch

from ..data.datasets import LoadedData
from ..data.pair_batching import PairBuckets
from ..data.tokenization import TextTokenizer
from ..data.tokenizer import Tokenizer
from ..decoding.translator import Translator
from ..evaluation.translation import bleu
from ..fast.forms import fast_model
from ..training.log import show_samples
from ..training.translation_loss import real_targets, translation_loss
from ..transformer import Transformer
from .profiles import fit_by, scale_words
from .translation_profiles import TranslationProfile


@dataclass(frozen=True)
class TrainedTranslator:
    """A trained Transformer with its tokenizer, history and training cost."""

    model: Transformer
    tokenizer: Tokenizer
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
) -> TrainedTranslator:
    """Train by `settings` on the training split; a validation sample only monitors progress.

    Both languages share one vocabulary (§5.1). The final weights are the average from
    `settings.average_from` on.
    """
    wall, cpu = time.perf_counter(), time.process_time()
    tokenizer, batches = pairs_to_batches(data, settings, seed)
    model = untrained_model(tokenizer.vocab_size, settings, seed)
    validation = data["validation"][: settings.sample]

    def evaluate(model: Any) -> dict[str, float]:
        translator = Translator(model, tokenizer, settings.length_penalty)
        translations = translator.translate(validation[settings.source], width=1)
        if progress:
            show_samples(validation[settings.source], translations, validation[settings.target])
        return {"sample_bleu": bleu(translations, validation[settings.target]).value}

    history = fit_by(
        settings,
        model,
        batches,
        translation_loss,
        evaluate,
        progress,
        folder,
        count=real_targets,
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
    model = fast_model(Transformer, vocab_size, **settings.model.arguments)
    scale_words(model, settings)
    return model
