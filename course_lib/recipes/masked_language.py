"""Read before you label: pre-train an encoder on texts, fine-tune it on few labeled sentences.

settings = profile("cpu")
pretrained = pretrain(*unlabelled(settings), settings, seed=0)
tuned = fine_tune(pretrained, load("sst2_sentences")["train"][:100], settings, seed=0)
tuned.accuracy(load("sst2_sentences")["validation"][:])
"""

import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

import torch
from torch import nn

from ..data import datasets
from ..data.batching import TokenBuckets
from ..data.cycled import CycledExamples
from ..data.masking import MaskedBatches
from ..data.segments import marked
from ..data.tokenization import TextTokenizer
from ..data.tokenizer import MASK, Tokenizer
from ..evaluation.gaps import gap_measures
from ..evaluation_mode import evaluating
from ..families.encoder_heads import TextClassifier, classifier_from
from ..families.low_rank import add_low_rank
from ..families.masked_language_model import BertEncoder, MaskedLanguageModel
from ..fast.forms import fast_model
from ..initialization import initialize
from ..training.classification_loss import classification_loss
from ..training.language_losses import hidden_tokens, masked_language_loss
from ..training.long_trainings.machine import n_examples
from .classifier import likely_labels
from .masked_language_profiles import MaskedLanguageProfile
from .profiles import fit_by


class Start(Protocol):
    """An encoder that has read, with its tokenizer."""

    @property
    def encoder(self) -> BertEncoder: ...
    @property
    def tokenizer(self) -> Tokenizer: ...


@dataclass(frozen=True)
class Pretrained:
    """A masked language model with its tokenizer, history and training cost."""

    model: MaskedLanguageModel
    tokenizer: Tokenizer
    history: list[dict[str, float]]
    tokens: int  # of the whole training
    cpu_seconds: float  # of this process, everything included
    wall_seconds: float

    @property
    def encoder(self) -> BertEncoder:
        return self.model.encoder

    @torch.no_grad()
    def fill(self, text: str, k: int = 5) -> list[list[str]]:
        """The `k` most likely words for every `[MASK]` in the text, the most likely first."""
        ids, parts = list[int](), text.split("[MASK]")
        for part, sequence in zip(parts, self.tokenizer.encode(parts), strict=True):
            ids += [MASK, *(sequence if part.strip() else [])]
        ids = ids[1:]
        read = torch.tensor([marked(ids, len(ids) + 2)])
        with evaluating(self.model):
            logits, _ = self.model(read, None, read == MASK)
        return [self.tokenizer.tokens(row) for row in logits.topk(k).indices.tolist()]


@dataclass(frozen=True)
class FineTuned:
    """A fine-tuned classifier of sentences, with what it reads them by."""

    model: TextClassifier
    tokenizer: Tokenizer
    length: int
    history: list[dict[str, float]]

    def predict(self, texts: Sequence[str]) -> list[int]:
        """The more likely label of every text, in order."""
        return likely_labels(self.model, read(self.tokenizer, texts, self.length))

    def accuracy(self, examples: dict[str, list]) -> float:
        """Accuracy in percent on examples with the columns `sentence` and `label`."""
        found = zip(self.predict(examples["sentence"]), examples["label"], strict=True)
        return 100 * sum(a == b for a, b in found) / len(examples["label"])


def unlabelled(settings: MaskedLanguageProfile) -> tuple[list[str], list[str]]:
    """The texts of the training and of the validation splits that a profile reads."""
    found = [datasets.load(name) for name in settings.unlabelled]
    train, validation = (
        [text for data in found for text in data[split][:]["sentence"]]
        for split in ("train", "validation")
    )
    return train, validation


def untrained(vocab_size: int, settings: MaskedLanguageProfile) -> MaskedLanguageModel:
    """The model of a profile before any training, with fast forms; torch's seed decides on it.

    Its linear layers are Xavier's: BERT's 0.02 is made for 768 features and too small for these.
    """
    sizes = settings.model
    encoder = BertEncoder(
        vocab_size,
        n_layers=sizes.n_layers,
        d_model=sizes.d_model,
        n_heads=sizes.n_heads,
        d_ff=sizes.d_ff,
        dropout=sizes.dropout,
        norm_first=sizes.norm_first,
        max_length=settings.length,
        n_segments=0,  # one text at a time
    )
    model = fast_model(MaskedLanguageModel, encoder)
    initialize(model, "xavier", torch.default_generator)
    return model


def pretrain(
    texts: Sequence[str],
    validation: Sequence[str],
    settings: MaskedLanguageProfile,
    seed: int,
    progress: bool = False,
    folder: str | None = None,
) -> Pretrained:
    """Learn to fill gaps in `texts`, cut to pieces of `settings.length`; see `mask_tokens`.

    The tokenizer, of words, is learned from them too. `validation` only monitors progress. The
    final weights are the average from `settings.average_from` on.
    """
    wall, cpu = time.perf_counter(), time.process_time()
    tokenizer, pieces = learned_pieces(texts, settings)
    held_out = _gaps(_pieces(tokenizer, validation, settings.length), tokenizer, settings, 0)
    batches = _gaps(pieces, tokenizer, settings, seed)
    torch.manual_seed(seed)
    model = untrained(tokenizer.vocab_size, settings)

    def evaluate(model: nn.Module) -> dict[str, float]:
        return gap_measures(model, held_out)

    history = fit_by(
        settings,
        model,
        batches,
        masked_language_loss,
        evaluate,
        progress,
        folder,
        count=hidden_tokens,
    )
    return Pretrained(
        model,
        tokenizer,
        history,
        tokens=settings.epochs * sum(map(len, pieces)),
        cpu_seconds=time.process_time() - cpu,
        wall_seconds=time.perf_counter() - wall,
    )


def fine_tune(
    start: Start | Tokenizer,
    examples: dict[str, list],
    settings: MaskedLanguageProfile,
    seed: int,
    rank: int | None = None,
) -> FineTuned:
    """Train a copy of an encoder that has read, and a new head, on labeled sentences.

    Given a tokenizer alone, the encoder starts from chance, to compare with: all else is the same.
    With `rank`, the encoder's weights stay as they are, and low-rank adapters learn beside them.
    """
    torch.manual_seed(seed)
    if isinstance(start, Tokenizer):
        tokenizer, encoder = start, untrained(start.vocab_size, settings).encoder
    else:
        tokenizer, encoder = start.tokenizer, start.encoder
    sizes = settings.model
    model = fast_model(classifier_from, encoder, dropout=sizes.dropout, pooling=settings.pooling)
    if rank is not None:
        add_low_rank(model.encoder, rank)
    sequences = read(tokenizer, examples["sentence"], settings.length)
    batches = CycledExamples(sequences, examples["label"], settings.rows, settings.steps, seed)
    history = fit_by(
        settings.fine_tuning,
        model,
        batches,
        classification_loss,
        lambda model: {},
        progress=False,
        folder=None,
        count=n_examples,
    )
    return FineTuned(model, tokenizer, settings.length, history)


def read(tokenizer: Tokenizer, texts: Sequence[str], length: int) -> list[list[int]]:
    """Each text as the encoder reads it."""
    return [marked(one, length) for one in tokenizer.encode(list(texts))]


def learned_pieces(
    texts: Sequence[str], settings: MaskedLanguageProfile
) -> tuple[Tokenizer, list[list[int]]]:
    """A tokenizer of the words of `texts`, and what an encoder of this profile reads of them."""
    tokenizer = TextTokenizer.train(
        texts, vocab_size=settings.vocab_size, min_frequency=settings.min_frequency
    )
    return tokenizer, _pieces(tokenizer, texts, settings.length)


def _pieces(tokenizer: Tokenizer, texts: Sequence[str], length: int) -> list[list[int]]:
    """The same, but a long text becomes several, so that nothing is lost."""
    room = length - 2
    sequences = tokenizer.encode(list(texts), max_length=sys.maxsize)
    return [
        marked(one[start : start + room], length)
        for one in sequences
        for start in range(0, len(one), room)
    ]


def _gaps(
    pieces: list[list[int]], tokenizer: Tokenizer, settings: MaskedLanguageProfile, seed: int
) -> MaskedBatches:
    buckets = TokenBuckets(pieces, [0] * len(pieces), settings.max_tokens, seed)
    return MaskedBatches(buckets, tokenizer.vocab_size, settings.share, seed)
