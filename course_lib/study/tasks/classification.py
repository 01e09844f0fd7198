"""The task of a study that classifies sentences: quality is the accuracy, in percent."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict, replace
from functools import cached_property
from itertools import count

import torch
from torch.nn import functional as F

from ...classifier import EncoderClassifier
from ...data.batching import TokenBuckets, batches_in_order
from ...data.datasets import LoadedData
from ...data.tokenization import TextTokenizer
from ...data.word_dropout import WordDropout
from ...families.position_variants import with_positions
from ...fast.forms import fast_model
from ...recipes.profiles import scale_words
from ...training.classification_step import training_step
from ..profiles import StudyProfile
from ..space import SINUSOIDAL, Configuration
from .rates import trial_optimizer
from .task import synchronized_clock

BATCH_TOKENS = 4096  # of sentences that are classified together, padding included


class ClassificationTask:
    """`EncoderClassifier` on the sentences of `data`, with the budget of `settings`."""

    measure = "accuracy in percent"

    def __init__(self, settings: StudyProfile, data: LoadedData, device: str = "cpu") -> None:
        self.settings, self.data, self.device = settings, data, torch.device(device)
        self.n_steps, self.untimed_steps = settings.n_steps, settings.untimed_steps
        self.evaluate_every = settings.evaluate_every
        train = data["train"][: settings.train_limit or len(data["train"])]
        self.labels = train["label"]
        self.tokenizer = TextTokenizer.train(
            train["sentence"], vocab_size=settings.vocab_size, min_frequency=settings.min_frequency
        )
        self.sequences = self.tokenizer.encode(train["sentence"])
        self.clock = synchronized_clock(self.device)

    def model(self, configuration: Configuration) -> EncoderClassifier:
        sizes = {name: configuration[name] for name in ("n_heads", "n_layers", "dropout")}
        config = replace(self.settings.model, **sizes)
        model = fast_model(EncoderClassifier, self.tokenizer.vocab_size, **asdict(config))
        scale_words(model, self.settings)
        with_positions(model, configuration.get("positions", SINUSOIDAL))
        return model.to(self.device)

    def training(
        self, model: EncoderClassifier, configuration: Configuration, seed: int
    ) -> Iterator[dict[str, float]]:
        buckets = TokenBuckets(self.sequences, self.labels, self.settings.max_tokens, seed)
        batches = WordDropout(buckets, self.settings.word_dropout, seed)
        optimizer, schedule = trial_optimizer(model, configuration, self.settings)
        smoothing = configuration["label_smoothing"]
        for epoch in count():
            batches.set_epoch(epoch)
            for token_ids, labels in batches:
                row = training_step(
                    model,
                    token_ids.to(self.device),
                    labels.to(self.device),
                    optimizer,
                    schedule,
                    label_smoothing=smoothing,
                )
                yield {**row, "tokens": int((token_ids != 0).sum())}

    def validate(self, model: EncoderClassifier) -> dict[str, float]:
        return self._measure(model, "validation")

    def test(self, model: EncoderClassifier) -> dict[str, float]:
        return self._measure(model, "test")

    def inference(self, model: EncoderClassifier) -> dict[str, float]:
        started = self.clock()
        self._measure(model, "validation")
        seconds = self.clock() - started
        return {"inferences_per_second": len(self.data["validation"]) / seconds}

    @torch.no_grad()
    def _measure(self, model: EncoderClassifier, split: str) -> dict[str, float]:
        """Accuracy in percent, and the mean cross-entropy in nats, not smoothed."""
        model.eval()
        sequences, labels = self._encoded[split]
        logits = torch.zeros(len(sequences), 2)
        for indices, token_ids in batches_in_order(sequences, BATCH_TOKENS):
            logits[indices] = model(token_ids.to(self.device))[0].float().cpu()
        right = (logits.argmax(dim=-1) == labels).sum().item()
        return {
            "quality": 100 * right / len(labels),
            "loss": F.cross_entropy(logits, labels).item(),
        }

    @cached_property
    def _encoded(self) -> dict[str, tuple[list[list[int]], torch.Tensor]]:
        """Token ids and labels of the splits that are measured on."""
        splits = {
            name: self.data[name][:] for name in ("validation", "test") if name in self.data.splits
        }
        return {
            name: (self.tokenizer.encode(rows["sentence"]), torch.tensor(rows["label"]))
            for name, rows in splits.items()
        }
