"""Measures what each choice for a small corpus gives the translator, under equal compute.

Each row changes the profile "cpu" in one place. All are trained with as many operations: where one
costs more, the corpus is read less often. The length penalty is that of the profile, and no test
split is read.
"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from itertools import chain, count, islice
from typing import Any

import torch
from torch import Tensor, nn
from torch.nn import functional as F

from bench.cost_model import Training
from bench.real_data import real
from bench.record import Log, Measures, Row, by_seed, origin
from course_lib.data.batching import pad
from course_lib.data.datasets import LoadedData
from course_lib.data.pair_batching import PairBatch, PairBuckets
from course_lib.data.tokenization import TextTokenizer
from course_lib.decoding.translator import Translator
from course_lib.evaluation.translation import bleu
from course_lib.recipes.profiles import fit_by
from course_lib.recipes.translation import pairs_to_batches, untrained_model
from course_lib.recipes.translation_profiles import TranslationProfile, profile
from course_lib.training.losses import label_smoothed_loss
from course_lib.training.translation_loss import real_targets, translation_loss
from course_lib.training.translation_step import shift_targets

NAME = "small_data"
EPOCHS = 3  # of the profile as it stands
MERGE_DROPOUT = 0.1  # Provilkov et al. (2020): the share of merges that are left out
CONSISTENCY = 5.0  # Liang et al. (2021): α of R-Drop for translation
AS_IT_STANDS = "cpu"
Losses = Callable[..., tuple[Tensor, dict[str, Tensor]]]


@dataclass(frozen=True)
class Choice:
    """A change of the profile: its fields, its model's, its loss or its pieces of words."""

    fields: Mapping[str, Any] = field(default_factory=dict)
    model: Mapping[str, Any] = field(default_factory=dict)
    loss: Losses = translation_loss
    forwards: int = 1  # through the model, a step
    merge_dropout: float = 0.0

    def settings(self) -> TranslationProfile:
        found = profile(AS_IT_STANDS)
        return replace(found, model=replace(found.model, **self.model), **self.fields)


def r_drop(
    model: Any, source_ids: Tensor, target_ids: Tensor, label_smoothing: float = 0.1
) -> tuple[Tensor, dict[str, Tensor]]:
    """Liang et al. (2021): two passes with other dropout, whose predictions are drawn together.

    To the mean of the two losses, α/4 of both Kullback-Leibler divergences is added: half of the
    paper's sum, in which losses are added rather than averaged.
    """
    read, labels = shift_targets(target_ids.repeat(2, 1))
    logits, _ = model(source_ids.repeat(2, 1), read)
    loss = label_smoothed_loss(logits, labels, label_smoothing)
    real_words = labels[: len(target_ids)] != 0
    first, second = (half[real_words].log_softmax(-1) for half in logits.chunk(2))
    apart = F.kl_div(first, second, log_target=True, reduction="batchmean")
    apart = apart + F.kl_div(second, first, log_target=True, reduction="batchmean")
    return loss + CONSISTENCY / 4 * apart, {}


CHOICES = {
    AS_IT_STANDS: Choice(),
    "post-norm": Choice(model={"norm_first": False}),
    "dropout 0": Choice(model={"dropout": 0.0}),
    "dropout 0.3": Choice(model={"dropout": 0.3}),
    "no label smoothing": Choice({"label_smoothing": 0.0}),
    "rate 2e-3": Choice({"learning_rate": 2e-3}),
    "rate 8e-3": Choice({"learning_rate": 8e-3}),
    "batches of 2048": Choice({"max_tokens": 2048}),
    "vocabulary 2000": Choice({"vocab_size": 2000}),
    "vocabulary 8000": Choice({"vocab_size": 8000}),
    "width 96": Choice(model={"d_model": 96, "d_ff": 384}),
    "width 192": Choice(model={"d_model": 192, "d_ff": 768}),
    "4 layers": Choice(model={"n_layers": 4}),
    "last weights": Choice({"average_from": 1.0}),
    "BPE dropout": Choice(merge_dropout=MERGE_DROPOUT),
    "R-Drop": Choice(model={"dropout": 0.1}, loss=r_drop, forwards=2),
}


class Resegmented:
    """The batches of `buckets`, with words in other pieces in every epoch (BPE dropout).

    A merge of the tokenizer is left out with probability `merge_dropout`, wherever it would be
    made. Batches hold the pairs they would hold without, so they have somewhat more tokens.
    """

    def __init__(
        self,
        buckets: PairBuckets,
        tokenizer: TextTokenizer,
        texts: tuple[list[str], list[str]],
        merge_dropout: float,
    ) -> None:
        self.buckets, self.tokenizer, self.texts = buckets, tokenizer, texts
        self.merge_dropout = merge_dropout
        self.set_epoch = buckets.set_epoch

    def __len__(self) -> int:
        return len(self.buckets)

    def __iter__(self) -> Iterator[PairBatch]:
        with self.tokenizer.dropping_merges(self.merge_dropout):
            sources, targets = map(self.tokenizer.encode, self.texts)
        start, end = self.tokenizer.START, self.tokenizer.END
        for indices in self.buckets.indices():
            yield PairBatch(
                pad([sources[i] for i in indices]),
                pad([[start, *targets[i], end] for i in indices]),
            )


class Steps:
    """The first `n` batches of as many passes as that takes, as one epoch."""

    def __init__(self, batches: Any, n: int) -> None:
        self.batches, self.n = batches, n

    def set_epoch(self, epoch: int) -> None:
        """Nothing: the passes are counted here."""

    def __len__(self) -> int:
        return self.n

    def __iter__(self) -> Iterator[PairBatch]:
        return islice(chain.from_iterable(map(self._a_pass, count())), self.n)

    def _a_pass(self, number: int) -> Iterator[PairBatch]:
        self.batches.set_epoch(number)
        return iter(self.batches)


def run(seeds: list[int], resume: bool, log: Log) -> Measures:
    """Train by every choice, once a seed; writes `results/small_data.json` after each seed.

    With `resume`, the first seeds are not trained again if the file has them.
    """
    torch.set_num_threads(1)
    data, stands = real(profile(AS_IT_STANDS).dataset), Choice()
    about = origin(data) | {"bleu": bleu(["a b c d"], ["a b c d"]).signature}
    about["profile"] = repr(profile(AS_IT_STANDS))

    def measured(seed: int) -> Row:
        budget = EPOCHS * operations(stands, *pairs_to_batches(data, stands.settings(), seed))
        row = Row()
        for name, choice in CHOICES.items():
            reached = trained(data, choice, seed, budget)
            row |= {f"{name}.{key}": value for key, value in reached.items()}
            log(f"seed {seed}, {name}: {reached['beam5_bleu']:.1f} BLEU")
        return row

    command = "small_data --seeds {seeds}"
    return by_seed(NAME, command, seeds, measured, about, log, resume=resume)


def operations(choice: Choice, tokenizer: TextTokenizer, batches: PairBuckets) -> float:
    """Floating-point operations of an epoch: 6 N D, by `cost_model`, for each forward pass."""
    settings = choice.settings()
    source, target = (sum(map(len, ids)) for ids in (batches.source_ids, batches.target_ids))
    counted = Training(
        settings.model,
        tokenizer.vocab_size,
        source,
        target,
        target,
        len(batches),
        cross_attention=True,
        batch_tokens=settings.max_tokens,
    )
    return counted.operations * choice.forwards


def trained(data: LoadedData, choice: Choice, seed: int, budget: float) -> Row:
    """Validation BLEU, greedy and with a beam of 5, after `budget` operations."""
    settings = replace(choice.settings(), epochs=1)
    tokenizer, buckets = pairs_to_batches(data, settings, seed)
    passes = budget / operations(choice, tokenizer, buckets)
    batches: Any = buckets
    if choice.merge_dropout:
        pairs = data["train"][: len(buckets.source_ids)]
        texts = (pairs[settings.source], pairs[settings.target])
        batches = Resegmented(buckets, tokenizer, texts, choice.merge_dropout)
    model = untrained_model(tokenizer.vocab_size, settings, seed)

    def nothing(model: nn.Module) -> dict[str, float]:
        return {}

    batches = Steps(batches, round(passes * len(batches)))
    fit_by(settings, model, batches, choice.loss, nothing, False, None, count=real_targets)
    validation = data["validation"][:]
    translator = Translator(model, tokenizer, settings.length_penalty)
    found = {"passes": passes}  # over the corpus
    for width, key in ((1, "greedy_bleu"), (5, "beam5_bleu")):
        texts_found = translator.translate(validation[settings.source], width=width)
        found[key] = bleu(texts_found, validation[settings.target]).value
    return found
