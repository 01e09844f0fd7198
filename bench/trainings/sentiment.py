"""Trains the sentence classifier with several seeds and records its results, one value per seed."""

import statistics
from collections.abc import Sequence

import torch

from autograder.scorers.labels import REAL
from bench.record import Log, Measures, Row, by_seed, origin
from course_lib.data import datasets
from course_lib.recipes.classifier import Trained, train_classifier
from course_lib.recipes.classifier_profiles import profile


def run(profile_name: str, seeds: Sequence[int], name: str, log: Log) -> Measures:
    """Train once per seed on real SST-2; writes `results/NAME.json` after each.

    The test split is scored once with the final weights and influences nothing.
    """
    torch.set_num_threads(1)
    settings = profile(profile_name)
    data = datasets.load(settings.dataset, sources=REAL)
    command = f"sst2 --profile {profile_name} --seeds {{seeds}} --name {name}"

    def measured(seed: int) -> Row:
        return _measured(train_classifier(data, settings, seed), data)

    return by_seed(name, command, seeds, measured, origin(data), log)


def _measured(trained: Trained, data: datasets.LoadedData) -> Row:
    reached = {
        "validation_accuracy": trained.accuracy(data["validation"][:]),
        "test_accuracy": trained.accuracy(data["test"][:]),
        "cpu_minutes": trained.cpu_seconds / 60,
        "wall_minutes": trained.wall_seconds / 60,
        "tokens_per_second": trained.tokens / trained.wall_seconds,
    }
    evaluations = [row for row in trained.history if "validation_accuracy" in row]
    before = 0.0
    for number, row in enumerate(evaluations, start=1):
        steps = [r for r in trained.history if "loss" in r and before < r["step"] <= row["step"]]
        reached[f"training_loss_epoch_{number}"] = statistics.fmean(r["loss"] for r in steps)
        reached[f"validation_accuracy_epoch_{number}"] = 100 * row["validation_accuracy"]
        before = row["step"]
    return reached
