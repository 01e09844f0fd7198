"""Measures what an encoder that others have trained is worth, over the number of labels."""

import time
from collections.abc import Sequence
from dataclasses import replace

import torch
from sklearn.linear_model import LogisticRegression
from torch import Tensor

from autograder.scorers.labels import REAL
from bench.record import Log, Measures, Row, by_seed, listed, origin
from course_lib.data import datasets
from course_lib.data.registry import Source
from course_lib.recipes.masked_language import fine_tune
from course_lib.recipes.masked_language_profiles import (
    LOW_RANK,
    LOW_RANK_RATE,
    PUBLISHED,
    MaskedLanguageProfile,
)
from course_lib.recipes.published_encoder import PublishedEncoder
from course_lib.recipes.published_encoder import published as load_published

from .pretraining import Examples, sample

NAME = "published"
MODEL = "minilm"
TRAINED: tuple[Source, ...] = ("mirror", "hub", "package")  # never the stand-in with random weights
FINE_MOST = 1000  # labels of a fine-tuning, which takes minutes
SPLITS = {"accuracy": "test", "validation_accuracy": "validation"}
ADAPTED: dict[str, tuple[MaskedLanguageProfile, int | None]] = {
    "fine_tuned": (PUBLISHED, None),
    "low_rank": (replace(PUBLISHED, fine_rate=LOW_RANK_RATE), LOW_RANK),
}


def run(labels: Sequence[int], seeds: Sequence[int], log: Log) -> Measures:
    """Encode once, then train by seed and number of labels; writes after each seed.

    A linear layer on the frozen vectors is trained with every number of labels, the encoder with
    those up to FINE_MOST, and low-rank adapters with the most of those. A seed draws the labeled
    sentences, their order and the new weights. The test split influences nothing.
    """
    torch.set_num_threads(1)
    data = datasets.load(PUBLISHED.dataset, sources=REAL)
    start = load_published(MODEL, TRAINED)
    began = time.process_time()
    vectors = {name: start.vectors(split[:]["sentence"]) for name, split in data.splits.items()}
    log(f"{sum(map(len, vectors.values())):,} sentences encoded")
    minutes, also = (time.process_time() - began) / 60, {"name": start.name, "source": start.origin}
    command = f"published --labels {listed(labels)} --seeds {{seeds}}"

    def measured(seed: int) -> Row:
        row = _frozen(vectors, data, labels, seed) | _adapted(start, data, labels, seed, log)
        return row | {"encoding_cpu_minutes": minutes}

    return by_seed(NAME, command, seeds, measured, origin(data), log, lambda: {"model": also})


def _frozen(
    vectors: dict[str, Tensor], data: datasets.LoadedData, labels: Sequence[int], seed: int
) -> Row:
    """The accuracies of a linear layer on vectors that stay as they are."""
    train, row = data["train"][:]["label"], Row()
    for count in labels:
        chosen = sample({"at": list(range(len(train))), "label": train}, count, seed)
        layer = LogisticRegression(max_iter=1000).fit(
            vectors["train"][chosen["at"]], chosen["label"]
        )
        for measure, split in SPLITS.items():
            right = layer.score(vectors[split], data[split][:]["label"])
            row[f"frozen_{count}_labels_{measure}"] = 100 * float(right)
    return row


def _adapted(
    start: PublishedEncoder, data: datasets.LoadedData, labels: Sequence[int], seed: int, log: Log
) -> Row:
    """The accuracies of trained encoders, how many weights learn, and the CPU minutes of each."""
    counts, row = [count for count in labels if count <= FINE_MOST], Row()
    splits: dict[str, Examples] = {name: split[:] for name, split in data.splits.items()}
    for arm, (settings, rank) in ADAPTED.items():
        for count in counts if rank is None else [max(counts)]:
            began = time.process_time()
            tuned = fine_tune(start, sample(splits["train"], count, seed), settings, seed, rank)
            row[f"{arm}_cpu_minutes"] = (time.process_time() - began) / 60
            learn = (one.numel() for one in tuned.model.parameters() if one.requires_grad)
            row[f"{arm}_weights_that_learn"] = sum(learn)
            for measure, split in SPLITS.items():
                row[f"{arm}_{count}_labels_{measure}"] = tuned.accuracy(splits[split])
            reached = row[f"{arm}_{count}_labels_accuracy"]
            log(f"seed {seed}, {count} labels, {arm}: {reached:.1f} % of the test sentences")
    return row
