"""Classifiers for the demonstration, trained in seconds on generated sentences."""

from __future__ import annotations

import contextlib
import io
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import torch
from torch import nn

from course_lib.classifier import EncoderClassifier
from course_lib.config import PRESETS
from course_lib.data import datasets
from course_lib.data.batching import TokenBuckets, batches_in_order
from course_lib.data.datasets import LoadedData
from course_lib.data.tokenization import TextTokenizer
from course_lib.fast.forms import fast_model
from course_lib.training import saved_model
from course_lib.training.classification_step import training_step
from course_lib.training.schedules import WarmupSchedule

CONFIG = replace(PRESETS["tiny"], d_model=32, d_ff=64)
MAX_TOKENS, RATE, WARMUP = 512, 0.3, 100
TRAINED, SHORT = 12, 6  # epochs


@dataclass(frozen=True)
class _Task:
    """The data and its tokenizer."""

    data: LoadedData
    tokenizer: TextTokenizer

    def encoded(self, split: str) -> list[list[int]]:
        return self.tokenizer.encode(self.data[split][:]["sentence"])


def hand_in(folder: Path, dataset: str, split: str, epochs: Sequence[int] = (TRAINED,)) -> None:
    """Train one model; save it after each of `epochs` in `folder/EPOCH`, as students do."""
    with contextlib.redirect_stdout(io.StringIO()):  # the demonstration reports the data itself
        data = datasets.load(dataset, sources=["generated"])
    task = _Task(data, TextTokenizer.train(data["train"][:]["sentence"], min_frequency=1))
    settings = {"vocab_size": task.tokenizer.vocab_size, **CONFIG.arguments}
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(0)
        model = fast_model(EncoderClassifier, **settings)
        batches = TokenBuckets(task.encoded("train"), data["train"][:]["label"], MAX_TOKENS)
        optimizer = torch.optim.AdamW(model.parameters(), lr=RATE)
        schedule = WarmupSchedule(optimizer, CONFIG.d_model, WARMUP)
        for epoch in range(1, max(epochs) + 1):
            batches.set_epoch(epoch)
            for batch in batches:
                training_step(model, *batch, optimizer, schedule)
            if epoch in epochs:
                about = {"name": data.name, "source": data.source}
                about["fingerprint"] = data.fingerprint(split)
                labels = predictions(model, task.encoded(split))
                target = folder / str(epoch)
                saved_model.save(target, model, settings, task.tokenizer, labels, about)


@torch.no_grad()
def predictions(model: nn.Module, sequences: list[list[int]]) -> list[int]:
    """The more probable label of every sequence."""
    model.eval()
    labels = [0] * len(sequences)
    for indices, token_ids in batches_in_order(sequences):
        for index, label in zip(indices.tolist(), model(token_ids)[0].argmax(-1), strict=True):
            labels[index] = int(label)
    return labels
