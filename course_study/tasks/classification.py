"""The task of a study that classifies sentences: quality is the accuracy, in percent."""

from collections.abc import Callable
from dataclasses import asdict, replace
from functools import cached_property

import torch
from torch import Tensor
from torch.nn import functional as F

from course_lib.classifier import EncoderClassifier
from course_lib.data.batching import TokenBuckets, batches_in_order
from course_lib.data.datasets import LoadedData
from course_lib.data.tokenization import TextTokenizer
from course_lib.data.word_dropout import WordDropout
from course_lib.evaluation_mode import evaluating
from course_lib.families.position_variants import with_positions
from course_lib.fast.forms import fast_model
from course_lib.recipes.profiles import scale_words
from course_lib.training.classification_loss import classification_loss

from ..profiles import StudyProfile
from ..space import SINUSOIDAL, Configuration
from .task import Task

BATCH_TOKENS = 4096  # of sentences that are classified together, padding included


class ClassificationTask(Task):
    """`EncoderClassifier` on the sentences of `data`, with the budget of `settings`."""

    measure = "accuracy in percent"
    loss = staticmethod(classification_loss)

    def __init__(self, settings: StudyProfile, data: LoadedData, device: str = "cpu") -> None:
        super().__init__(settings, data, device)
        self.tokenizer = TextTokenizer.train(
            self.train["sentence"],
            vocab_size=settings.vocab_size,
            min_frequency=settings.min_frequency,
        )
        self.sequences = self.tokenizer.encode(self.train["sentence"])

    def model(self, configuration: Configuration) -> EncoderClassifier:
        sizes = {name: configuration[name] for name in ("n_heads", "n_layers", "dropout")}
        config = replace(self.settings.model, **sizes)
        model = fast_model(EncoderClassifier, self.tokenizer.vocab_size, **asdict(config))
        scale_words(model, self.settings)
        with_positions(model, configuration.get("positions", SINUSOIDAL))
        return model.to(self.device)

    def batches(self, seed: int) -> WordDropout:
        sentences, labels = self.sequences, self.train["label"]
        buckets = TokenBuckets(sentences, labels, self.settings.max_tokens, seed)
        return WordDropout(buckets, self.settings.word_dropout, seed)

    def n_tokens(self, batch: list[Tensor]) -> int:
        return int((batch[0] != 0).sum())

    def inferring(self, model: EncoderClassifier) -> Callable[[], object]:
        return lambda: self.measured(model, "validation")

    @torch.no_grad()
    def measured(self, model: EncoderClassifier, split: str) -> dict[str, float]:
        """Accuracy in percent, and the mean cross-entropy in nats, not smoothed."""
        sequences, labels = self._encoded[split]
        logits = torch.zeros(len(sequences), 2)
        with evaluating(model):
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
