"""The task of a study that translates: quality is BLEU, with its signature."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import asdict, replace
from itertools import count

import torch

from ...data.datasets import LoadedData
from ...data.pair_batching import PairBuckets
from ...data.tokenization import TextTokenizer
from ...decoding.translator import Translator
from ...evaluation.perplexity import perplexity
from ...evaluation.translation import bleu
from ...fast.forms import fast_model
from ...recipes.profiles import scale_words
from ...training.batch_losses import fast_translation_step
from ...transformer import Transformer
from ..profiles import StudyProfile
from ..space import SINUSOIDAL, Configuration
from .rates import trial_optimizer
from .task import synchronized_clock


class TranslationTask:
    """`Transformer` on the pairs of `data`, with the budget of `settings`; greedy decoding."""

    def __init__(self, settings: StudyProfile, data: LoadedData, device: str = "cpu") -> None:
        self.settings, self.data, self.device = settings, data, torch.device(device)
        self.n_steps, self.untimed_steps = settings.n_steps, settings.untimed_steps
        self.evaluate_every = settings.evaluate_every
        self.clock = synchronized_clock(self.device)
        pairs = data["train"][: settings.train_limit or len(data["train"])]
        self.tokenizer = TextTokenizer.train(
            [*pairs["en"], *pairs["fr"]],
            kind="bpe",
            vocab_size=settings.vocab_size,
            min_frequency=settings.min_frequency,
            lowercase=False,
            reversible=True,
        )
        self.sides = self.tokenizer.encode(pairs["en"]), self.tokenizer.encode(pairs["fr"])
        self.splits = {
            "validation": "validation",
            "test": next(name for name in data.splits if name.startswith("test")),
        }
        self.measure = f"BLEU of greedy translations, {bleu(['a'], ['a']).signature}"

    def model(self, configuration: Configuration) -> Transformer:
        if configuration.get("positions", SINUSOIDAL) != SINUSOIDAL:
            raise ValueError("the translator has sinusoidal positions: leave `positions` out")
        sizes = {name: configuration[name] for name in ("n_heads", "n_layers", "dropout")}
        config = replace(self.settings.model, **sizes)
        model = fast_model(Transformer, self.tokenizer.vocab_size, **asdict(config))
        scale_words(model, self.settings)
        return model.to(self.device)

    def training(
        self, model: Transformer, configuration: Configuration, seed: int
    ) -> Iterator[dict[str, float]]:
        batches = PairBuckets(*self.sides, self.settings.max_tokens, seed)
        optimizer, schedule = trial_optimizer(model, configuration, self.settings)
        for epoch in count():
            batches.set_epoch(epoch)
            for source_ids, target_ids in batches:
                row = fast_translation_step(
                    model,
                    source_ids.to(self.device),
                    target_ids.to(self.device),
                    optimizer,
                    schedule,
                    label_smoothing=configuration["label_smoothing"],
                )
                tokens = int((source_ids != 0).sum() + (target_ids != 0).sum())
                yield {**row, "tokens": tokens}

    def validate(self, model: Transformer) -> dict[str, float]:
        return self._measure(model, self.splits["validation"])

    def test(self, model: Transformer) -> dict[str, float]:
        return self._measure(model, self.splits["test"])

    def inference(self, model: Transformer) -> dict[str, float]:
        texts = self.data[self.splits["validation"]][:]["en"]
        started = self.clock()
        Translator(model, self.tokenizer).translate(texts, width=1)
        return {"inferences_per_second": len(texts) / (self.clock() - started)}

    def _measure(self, model: Transformer, split: str) -> dict[str, float]:
        """BLEU, 0 to 100, and the mean cross-entropy of a token in nats, not smoothed."""
        pairs = self.data[split][:]
        source_ids, target_ids = map(self.tokenizer.encode, (pairs["en"], pairs["fr"]))
        batches = PairBuckets(source_ids, target_ids, self.settings.max_tokens)
        on_device = ((s.to(self.device), t.to(self.device)) for s, t in batches)
        loss = math.log(perplexity(model, on_device))
        translations = Translator(model, self.tokenizer).translate(pairs["en"], width=1)
        return {"quality": bleu(translations, pairs["fr"]).value, "loss": loss}
