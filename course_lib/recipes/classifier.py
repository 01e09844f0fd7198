"""Train a sentence classifier, from raw sentences to a trained model (assignment 3).

trained = train_classifier(load("sst2"), profile("cpu"), seed=0)
trained.predict(["a lovely cast and a lifeless plot ."])
"""

import time
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import torch

from ..classifier import EncoderClassifier
from ..data.batching import TokenBuckets, batches_in_order
from ..data.datasets import LoadedData
from ..data.tokenization import TextTokenizer
from ..data.tokenizer import Tokenizer
from ..data.word_dropout import WordDropout
from ..evaluation_mode import evaluating
from ..fast.forms import fast_model
from ..training.classification_loss import classification_loss
from ..training.long_trainings.machine import n_examples
from .classifier_profiles import ClassifierProfile
from .profiles import fit_by, scale_words


@dataclass(frozen=True)
class Trained:
    """A trained classifier with its tokenizer, history and training cost."""

    model: torch.nn.Module
    tokenizer: Tokenizer
    arguments: dict[str, Any]  # of EncoderClassifier
    history: list[dict[str, float]]
    tokens: int  # real tokens of the whole training
    cpu_seconds: float  # of this process, everything included
    wall_seconds: float

    def predict(self, texts: Sequence[str]) -> list[int]:
        """The more likely label of every text, in order."""
        return likely_labels(self.model, self.tokenizer.encode(texts))

    def accuracy(self, examples: dict[str, list]) -> float:
        """Accuracy in percent on examples with the columns `sentence` and `label`."""
        predictions = self.predict(examples["sentence"])
        right = sum(a == b for a, b in zip(predictions, examples["label"], strict=True))
        return 100 * right / len(predictions)


@torch.no_grad()
def likely_labels(model: torch.nn.Module, sequences: Sequence[Sequence[int]]) -> list[int]:
    """The more likely label of every text, given as ids; the model keeps its mode."""
    device = next(model.parameters()).device
    labels = torch.zeros(len(sequences), dtype=torch.long)
    with evaluating(model):
        for indices, token_ids in batches_in_order(sequences, 4096):
            labels[indices] = model(token_ids.to(device))[0].argmax(dim=-1).cpu()
    return labels.tolist()


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
    model = fast_model(EncoderClassifier, **arguments)
    scale_words(model, settings)
    validation = data["validation"][:]

    def evaluate(model: torch.nn.Module) -> dict[str, float]:
        current = Trained(model, tokenizer, arguments, [], 0, 0, 0)
        return {"validation_accuracy": current.accuracy(validation) / 100}

    history = fit_by(
        settings,
        model,
        batches,
        classification_loss,
        evaluate,
        progress,
        folder,
        count=n_examples,
    )
    return Trained(
        model,
        tokenizer,
        arguments,
        history,
        tokens=settings.epochs * sum(map(len, sequences)),
        cpu_seconds=time.process_time() - cpu,
        wall_seconds=time.perf_counter() - wall,
    )
