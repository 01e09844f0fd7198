"""The task of a study that predicts the next token: quality is how often it is right."""

from __future__ import annotations

import math
from collections.abc import Iterator
from itertools import count
from typing import Any

import torch
from torch import Tensor, nn

from ...data.datasets import LoadedData
from ...data.token_blocks import TokenBlocks, stream
from ...data.tokenization import TextTokenizer
from ...evaluation.language import perplexity
from ...families.language_model import LanguageModel
from ...families.position_variants import with_positions
from ...fast.forms import fast_model
from ...training.language_losses import language_loss
from ..profiles import StudyProfile
from ..space import SINUSOIDAL, Configuration
from .rates import trial_optimizer
from .task import synchronized_clock

LENGTH = 64  # tokens of a block
LONGER = 4  # times as long: positions that no training has seen


class LanguageTask:
    """`LanguageModel` on one column of `data`, with the budget of `settings`.

    A configuration may name its `positions`, any of `position_variants.SCHEMES`.
    """

    measure = "next tokens that are right, in percent"

    def __init__(
        self, settings: StudyProfile, data: LoadedData, device: str = "cpu", column: str = "en"
    ) -> None:
        self.settings, self.data, self.device = settings, data, torch.device(device)
        self.n_steps, self.untimed_steps = settings.n_steps, settings.untimed_steps
        self.evaluate_every, self.column = settings.evaluate_every, column
        self.clock = synchronized_clock(self.device)
        texts = data["train"][: settings.train_limit or len(data["train"])][column]
        self.tokenizer = TextTokenizer.train(
            texts,
            kind="bpe",
            vocab_size=settings.vocab_size,
            min_frequency=settings.min_frequency,
            lowercase=False,
            reversible=True,
        )
        self.tokens = stream(self.tokenizer.encode(texts), self.tokenizer.END)

    def model(self, configuration: Configuration) -> LanguageModel:
        model = fast_model(
            LanguageModel,
            self.tokenizer.vocab_size,
            n_layers=configuration["n_layers"],
            d_model=self.settings.model.d_model,
            n_heads=configuration["n_heads"],
            d_ff=self.settings.model.d_ff,
            dropout=configuration["dropout"],
            positions="none",
            position_scale=self.settings.model.position_scale,
        )
        scheme = configuration.get("positions", SINUSOIDAL)
        return with_positions(model, scheme, LONGER * LENGTH).to(self.device)

    def training(
        self, model: LanguageModel, configuration: Configuration, seed: int
    ) -> Iterator[dict[str, float]]:
        rows = max(1, self.settings.max_tokens // LENGTH)
        batches = TokenBlocks(self.tokens, LENGTH, rows, seed)
        optimizer, schedule = trial_optimizer(model, configuration, self.settings)
        for epoch in count():
            batches.set_epoch(epoch)
            for (block,) in batches:
                model.train()
                smoothing = configuration["label_smoothing"]
                loss, _ = language_loss(model, block.to(self.device), smoothing)
                loss.backward()
                nn.utils.clip_grad_norm_(model.parameters(), 1.0)
                optimizer.step()
                schedule.step()
                optimizer.zero_grad()
                yield {"loss": loss.item(), "tokens": rows * LENGTH}

    def validate(self, model: LanguageModel) -> dict[str, float]:
        return self._measure(model, self._split("validation"))

    def test(self, model: LanguageModel) -> dict[str, float]:
        return self._measure(model, self._split("test"))

    def inference(self, model: LanguageModel) -> dict[str, float]:
        tokens = self._split("validation")
        started = self.clock()
        perplexity(model, tokens, LENGTH)
        seconds = self.clock() - started
        return {"inferences_per_second": len(self.data["validation"]) / seconds}

    def _split(self, beginning: str) -> Tensor:
        name = next(name for name in self.data.splits if name.startswith(beginning))
        return stream(self.tokenizer.encode(self.data[name][:][self.column]), self.tokenizer.END)

    @torch.no_grad()
    def _measure(self, model: LanguageModel, tokens: Tensor) -> dict[str, float]:
        """Right tokens in percent and the cross-entropy in nats, of blocks as trained on.

        `loss_longer` is that of longer blocks, whose later positions no training block had.
        """
        model.eval()
        blocks = tokens.unfold(0, LENGTH + 1, LENGTH).to(self.device)
        right: Any = sum(
            (model(part[:, :-1]).argmax(dim=-1) == part[:, 1:]).sum() for part in blocks.split(64)
        )
        return {
            "quality": 100 * float(right) / blocks[:, 1:].numel(),
            "loss": math.log(perplexity(model, tokens, LENGTH)),
            "loss_longer": math.log(perplexity(model, tokens, LONGER * LENGTH, rows=16)),
        }
