"""Train a language model, from raw text to a model that writes text.

trained = train_language_model(load("multi30k_en_fr"), profile("cpu"), seed=0)
trained.write(["Two dogs"], max_new_tokens=20, top_p=0.9)
trained.writer.save("language_model")  # then: student generate --model language_model
"""

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor, nn

from ..data.datasets import LoadedData
from ..data.packed_texts import PackedTexts
from ..data.token_blocks import TokenBlocks, stream
from ..data.tokenization import TextTokenizer
from ..data.tokenizer import END, Tokenizer
from ..decoding.writer import Writer
from ..evaluation.language import perplexity
from ..families.language_model import LanguageModel
from ..fast.forms import fast_model
from ..training.language_losses import language_loss, packed_language_loss, packed_tokens
from ..training.long_trainings.machine import n_examples
from ..training.update import Loss
from .language_profiles import LanguageProfile
from .profiles import fit_by

Build = Callable[[int, LanguageProfile], nn.Module]  # from a vocabulary size and a profile


@dataclass(frozen=True)
class TrainedLanguageModel:
    """A trained language model with its tokenizer, history and training cost."""

    model: nn.Module
    tokenizer: Tokenizer
    history: list[dict[str, float]]
    tokens: int  # of the whole training
    cpu_seconds: float  # of this process, everything included
    wall_seconds: float

    def write(self, prompts: Sequence[str], max_new_tokens: int = 40, **how: Any) -> list[str]:
        """Each prompt with what the model writes after it, up to the end of the text.

        `how`: `temperature`, `top_k`, `top_p` and `generator` of `generate`.
        """
        return self.writer.write(prompts, max_new_tokens, **how)

    @property
    def writer(self) -> Writer:
        """The generator of text, and the saved parts: `trained.writer.save("language_model")`."""
        assert isinstance(self.model, LanguageModel)
        return Writer(self.model, self.tokenizer)


def transformer(vocab_size: int, settings: LanguageProfile) -> nn.Module:
    """The untrained `LanguageModel` of a profile, with fast forms."""
    sizes = settings.model
    return fast_model(
        LanguageModel,
        vocab_size,
        n_layers=sizes.n_layers,
        d_model=sizes.d_model,
        n_heads=sizes.n_heads,
        d_ff=sizes.d_ff,
        dropout=sizes.dropout,
        positions=settings.positions,
        max_length=settings.length,
    )


def train_language_model(
    data: LoadedData,
    settings: LanguageProfile,
    seed: int,
    build: Build = transformer,
    progress: bool = False,
    folder: str | None = None,
) -> TrainedLanguageModel:
    """Train by `settings` on the training split; the validation split only monitors progress.

    The tokenizer spells text out by byte pairs (§5.1). The final weights are the average from
    `settings.average_from` on. `build` may make another kind of model.
    """
    wall, cpu = time.perf_counter(), time.process_time()
    tokenizer, train, validation = streams(data, settings)
    rows = max(1, settings.max_tokens // settings.length)
    batches: TokenBlocks | PackedTexts = TokenBlocks(train, settings.length, rows, seed)
    loss: Loss = language_loss
    count: Callable[[Any], int] = n_examples
    tokens = len(batches) * rows * settings.length
    if settings.packed:
        texts = tokenizer.encode(training_texts(data, settings))
        batches = PackedTexts(texts, END, settings.length, rows, seed)
        loss, count, tokens = packed_language_loss, packed_tokens, batches.n_tokens
    torch.manual_seed(seed)
    model = build(tokenizer.vocab_size, settings)

    def evaluate(model: nn.Module) -> dict[str, float]:
        return {"validation_perplexity": perplexity(model, validation, settings.length)}

    history = fit_by(settings, model, batches, loss, evaluate, progress, folder, count=count)
    return TrainedLanguageModel(
        model,
        tokenizer,
        history,
        tokens=settings.epochs * tokens,
        cpu_seconds=time.process_time() - cpu,
        wall_seconds=time.perf_counter() - wall,
    )


def streams(data: LoadedData, settings: LanguageProfile) -> tuple[Tokenizer, Tensor, Tensor]:
    """A reversible byte-pair tokenizer, and the training and validation splits in its tokens."""
    texts = training_texts(data, settings)
    tokenizer = TextTokenizer.train(
        texts,
        kind="bpe",
        vocab_size=settings.vocab_size,
        min_frequency=settings.min_frequency,
        lowercase=False,
        reversible=True,
    )
    validation = data["validation"][:][settings.text]
    parts = [stream(tokenizer.encode(part), END) for part in (texts, validation)]
    return tokenizer, parts[0], parts[1]


def training_texts(data: LoadedData, settings: LanguageProfile) -> list[str]:
    """The texts that a model of this profile reads in training."""
    return data["train"][: settings.train_limit or len(data["train"])][settings.text]
