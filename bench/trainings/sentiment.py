"""Trains the sentence classifier with several seeds and records its results, one value per seed."""

from __future__ import annotations

import statistics
from collections.abc import Callable, Sequence
from typing import Any

import torch

from autograder.scorers.labels import REAL
from course_lib.data import datasets
from course_lib.recipes.classifier import Trained, train_classifier
from course_lib.recipes.classifier_profiles import profile
from grader.authoring import results_file


def run(
    profile_name: str, seeds: Sequence[int], name: str, log: Callable[[str], None]
) -> dict[str, Any]:
    """Train once per seed on real SST-2; writes `results/NAME.json` after each.

    The test split is scored once with the final weights and influences nothing.
    """
    torch.set_num_threads(1)
    settings = profile(profile_name)
    data = datasets.load(settings.dataset, sources=REAL)
    about = {"name": data.name, "source": data.origin, "sha256": data.sha256}
    listed = ",".join(map(str, seeds))
    command = f"course bench sst2 --profile {profile_name} --seeds {listed} --name {name}"
    rows: list[dict[str, float]] = []
    for seed in seeds:
        trained = train_classifier(data, settings, seed)
        rows.append(_measured(trained, data))
        log(
            f"seed {seed}: validation {rows[-1]['validation_accuracy']:.2f} %, "
            f"{rows[-1]['cpu_minutes']:.2f} CPU minutes"
        )
        measures = results_file.of_rows(rows, _unit)
        results_file.write(name, command, measures, about)
    return measures


def _measured(trained: Trained, data: datasets.LoadedData) -> dict[str, float]:
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


def _unit(key: str) -> str:
    if "accuracy" in key:
        return "percent"
    units = {"cpu_minutes": "min", "wall_minutes": "min", "tokens_per_second": "1/s"}
    return units.get(key, "nats")
