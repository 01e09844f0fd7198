"""How far lookup tables of the test sentences, and honest classifiers, are from the grader's limit.

Each answers the test sentences and their contrasts (`autograder.scorers.contrast`). What counts is
the gap between the two accuracies, which may be `MAX_GAP` at most for a model to earn points.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import torch

from autograder.scorers import contrast
from autograder.scorers.labels import REAL
from course_lib.data import datasets
from course_lib.recipes.classifier import train_classifier
from course_lib.recipes.classifier_profiles import profile
from grader.authoring import results_file

NAME = "lookup_tables"
MOSTLY = 0.85  # of its words, for a careful table to trust the nearest sentence

Predict = Callable[[Sequence[str]], list[int]]


def run(seeds: Sequence[int], log: Callable[[str], None]) -> dict[str, Any]:
    """The accuracies of every contender, one value per seed; writes `results/lookup_tables.json`.

    The seed draws the contrasts, and the initial weights of what is trained.
    """
    torch.set_num_threads(1)
    data = datasets.load("sst2", sources=REAL)
    train, test = data["train"][:], data["test"][:]
    cues = contrast.cues(train["sentence"], train["label"])
    values: dict[str, list[float]] = {}
    for seed in seeds:
        rng = np.random.default_rng(seed)
        opposed = [
            (text, 1 - label)
            for sentence, label in zip(test["sentence"], test["label"], strict=True)
            if (text := contrast.opposite(sentence, label, cues, rng))
        ]
        for name, predict in _contenders(data, seed):
            reached = _accuracy(predict, test["sentence"], test["label"])
            followed = _accuracy(predict, *map(list, zip(*opposed, strict=True)))
            log(f"seed {seed}: {name}: {reached:.1f} %, contrasts {followed:.1f} %")
            for key, value in (("score", reached), ("gap", reached - followed)):
                values.setdefault(f"{name}_{key}", []).append(value)
    measures = {key: results_file.measure("percent", found) for key, found in values.items()}
    about = {"name": data.name, "source": data.origin, "sha256": data.sha256}
    command = f"course bench tables --seeds {','.join(map(str, seeds))}"
    results_file.write(NAME, command, measures, about)
    return measures


def _accuracy(predict: Predict, texts: Sequence[str], labels: Sequence[int]) -> float:
    return 100 * float(np.mean(np.equal(predict(texts), labels)))


def _contenders(data: datasets.LoadedData, seed: int) -> Iterator[tuple[str, Predict]]:
    """Honest classifiers, from poor to good, and tables of the test split, from plain to sly."""
    small = profile("cpu")
    honest = {
        "transformer": small,
        "narrow_transformer": replace(small, model=replace(small.model, d_model=32, d_ff=64)),
        "one_epoch": replace(small, epochs=1),
        "few_examples": replace(small, train_limit=8000),
    }
    for name, settings in honest.items():
        yield name, train_classifier(data, settings, seed).predict
    train, test = data["train"][:], data["test"][:]
    bayes = _naive_bayes(train["sentence"], train["label"])
    yield "naive_bayes", bayes
    yield "table", _table(test, 0.0, lambda texts: [0] * len(texts))
    yield "table_or_one_label", _table(test, MOSTLY, lambda texts: [1] * len(texts))
    yield "table_or_naive_bayes", _table(test, MOSTLY, bayes)


def _naive_bayes(sentences: Sequence[str], labels: Sequence[int]) -> Predict:
    """The sum of the words' log odds: what a table may fall back on, or an honest small model."""
    counts = Counter[str](), Counter[str]()
    for sentence, label in zip(sentences, labels, strict=True):
        counts[label].update(set(sentence.split()))
    prior = math.log(sum(labels) / (len(labels) - sum(labels)))
    odds = {
        word: math.log((counts[1][word] + 0.5) / (counts[0][word] + 0.5)) - prior
        for word in counts[0] | counts[1]
    }
    return lambda texts: [
        int(sum(odds.get(word, 0.0) for word in text.split()) + prior > 0) for text in texts
    ]


def _table(test: dict[str, list], least: float, otherwise: Predict) -> Predict:
    """The label of the test sentence that shares most words, if it shares at least `least`."""
    bags = [set(sentence.split()) for sentence in test["sentence"]]

    def predict(texts: Sequence[str]) -> list[int]:
        found = []
        for text, fallback in zip(texts, otherwise(texts), strict=True):
            own = set(text.split())
            shared = [len(own & bag) / len(own | bag) for bag in bags]
            nearest = int(np.argmax(shared))
            found.append(test["label"][nearest] if shared[nearest] >= least else fallback)
        return found

    return predict
