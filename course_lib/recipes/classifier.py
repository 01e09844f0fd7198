"""Train a sentence classifier, from raw sentences to a trained model (assignment 3).

trained = train_classifier(load("sst2"), profile("cpu"), seed=0)
trained.predict(["a lovely cast and a lifeless plot ."])

The solution of assignment 3 explains what differs from the paper; results of the profiles are in
`results/`.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import torch

from ..classifier import EncoderClassifier
from ..config import PRESETS
from ..data.batching import TokenBuckets, batches_in_order
from ..data.datasets import LoadedData
from ..data.tokenization import TextTokenizer
from ..data.word_dropout import WordDropout
from ..fast.forms import use_fast_forms
from ..training.plain import classification_loss
from .profiles import Profile, chosen, fit_by, scale_words


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


@dataclass(frozen=True)
class Trained:
    """A trained classifier with its tokenizer, history and training cost."""

    model: torch.nn.Module
    tokenizer: TextTokenizer
    arguments: dict[str, Any]  # of EncoderClassifier
    history: list[dict[str, float]]
    tokens: int  # real tokens of the whole training
    cpu_seconds: float  # of this process, everything included
    wall_seconds: float

    @torch.no_grad()
    def predict(self, texts: Sequence[str]) -> list[int]:
        """The more likely label of every text, in order."""
        self.model.eval()
        device = next(self.model.parameters()).device
        labels = torch.zeros(len(texts), dtype=torch.long)
        for indices, token_ids in batches_in_order(self.tokenizer.encode(texts), 4096):
            labels[indices] = self.model(token_ids.to(device))[0].argmax(dim=-1).cpu()
        return labels.tolist()

    def accuracy(self, examples: dict[str, list]) -> float:
        """Accuracy in percent on examples with the columns `sentence` and `label`."""
        predictions = self.predict(examples["sentence"])
        right = sum(a == b for a, b in zip(predictions, examples["label"], strict=True))
        return 100 * right / len(predictions)


def train_classifier(
    data: LoadedData,
    settings: ClassifierProfile,
    seed: int,
    progress: bool = False,
    folder: str | None = None,
) -> Trained:
    """Train by `settings` on the training split; the validation split only monitors progress.

    The final weights are the average from `settings.average_from` on.
    """
    wall, cpu = time.perf_counter(), time.process_time()
    examples = data["train"][: settings.train_limit or len(data["train"])]
    tokenizer = TextTokenizer.train(
        examples["sentence"],
        vocab_size=settings.vocab_size,
        min_frequency=settings.min_frequency,
    )
    sequences = tokenizer.encode(examples["sentence"])
    buckets = TokenBuckets(sequences, examples["label"], settings.max_tokens, seed)
    batches = WordDropout(buckets, settings.word_dropout, seed)
    torch.manual_seed(seed)
    arguments = {"vocab_size": tokenizer.vocab_size, **settings.model.arguments}
    model = use_fast_forms(EncoderClassifier(**arguments))
    scale_words(model, settings)
    validation = data["validation"][:]

    def evaluate(model: torch.nn.Module) -> dict[str, float]:
        current = Trained(model, tokenizer, arguments, [], 0, 0, 0)
        return {"validation_accuracy": current.accuracy(validation) / 100}

    history = fit_by(settings, model, batches, classification_loss, evaluate, progress, folder)
    return Trained(
        model,
        tokenizer,
        arguments,
        history,
        tokens=settings.epochs * sum(map(len, sequences)),
        cpu_seconds=time.process_time() - cpu,
        wall_seconds=time.perf_counter() - wall,
    )
