"""The task of a study that predicts the next token: quality is how often it is right."""

import math
from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor

from course_lib.data.datasets import LoadedData
from course_lib.data.token_blocks import TokenBlocks, stream
from course_lib.data.tokenization import TextTokenizer
from course_lib.data.tokenizer import END
from course_lib.evaluation.language import perplexity
from course_lib.evaluation_mode import evaluating
from course_lib.families.language_model import LanguageModel
from course_lib.families.position_variants import with_positions
from course_lib.fast.forms import fast_model
from course_lib.training.language_losses import language_loss

from ..profiles import StudyProfile
from ..space import SINUSOIDAL, Configuration
from .task import Task

LENGTH = 64  # tokens of a block
LONGER = 4  # times as long: positions that no training has seen


class LanguageTask(Task):
    """`LanguageModel` on one column of `data`, with the budget of `settings`.

    A configuration may name its `positions`, any of `config.SCHEMES`.
    """

    measure = "next tokens that are right, in percent"
    loss = staticmethod(language_loss)

    def __init__(
        self, settings: StudyProfile, data: LoadedData, device: str = "cpu", column: str = "en"
    ) -> None:
        super().__init__(settings, data, device)
        self.column, texts = column, self.train[column]
        self.tokenizer = TextTokenizer.train(
            texts,
            kind="bpe",
            vocab_size=settings.vocab_size,
            min_frequency=settings.min_frequency,
            lowercase=False,
            reversible=True,
        )
        self.tokens = stream(self.tokenizer.encode(texts), END)

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

    def batches(self, seed: int) -> TokenBlocks:
        rows = max(1, self.settings.max_tokens // LENGTH)
        return TokenBlocks(self.tokens, LENGTH, rows, seed)

    def n_tokens(self, batch: list[Tensor]) -> int:
        return len(batch[0]) * LENGTH

    def inferring(self, model: LanguageModel) -> Callable[[], object]:
        tokens = self._stream(self.split("validation"))
        return lambda: perplexity(model, tokens, LENGTH)

    def _stream(self, split: str) -> Tensor:
        texts = self.data[split][:][self.column]
        return stream(self.tokenizer.encode(texts), END)

    @torch.no_grad()
    def measured(self, model: LanguageModel, split: str) -> dict[str, float]:
        """Right tokens in percent and the cross-entropy in nats, of blocks as trained on.

        `loss_longer` is that of longer blocks, whose later positions no training block had.
        """
        tokens = self._stream(split)
        blocks = tokens.unfold(0, LENGTH + 1, LENGTH).to(self.device)
        with evaluating(model):
            right: Any = sum(
                (model(part[:, :-1]).argmax(-1) == part[:, 1:]).sum() for part in blocks.split(64)
            )
        return {
            "quality": 100 * float(right) / blocks[:, 1:].numel(),
            "loss": math.log(perplexity(model, tokens, LENGTH)),
            "loss_longer": math.log(perplexity(model, tokens, LONGER * LENGTH, rows=16)),
        }
