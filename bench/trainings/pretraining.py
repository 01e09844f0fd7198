"""Measures the gain from reading before labeling: accuracy over the number of labels."""

import itertools
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import torch
from matplotlib.figure import Figure

from autograder.scorers.labels import REAL
from bench.record import Log, Measures, listed, of_values, origin
from course_lib.data import datasets
from course_lib.data.tokenizer import Tokenizer
from course_lib.recipes.masked_language import Pretrained, fine_tune, pretrain, unlabelled
from course_lib.recipes.masked_language_profiles import MaskedLanguageProfile, profile
from course_study.intervals import mean_interval
from course_study.report.figures import BLUE, ORANGE, canvas
from grader.authoring import results_file

NAME, PROFILE = "pretraining", "cpu"
ARMS = ("pretrained", "from_chance")
# Each arm has the peak that is best on validation with RATE_LABELS labels, of a seed of its own.
RATES, RATE_LABELS, RATE_SEED = (2e-4, 5e-4, 1e-3, 2e-3), 500, 1000
FOLDER = "out/pretraining"  # of the checkpoints: interrupted pre-training resumes
Examples = dict[str, list]
Start = Pretrained | Tokenizer


def run(labels: Sequence[int], seeds: Sequence[int], log: Log) -> Measures:
    """Pre-train once, then fine-tune per seed and number of labels; writes after each seed.

    A seed draws the labeled sentences, the order and the new weights; both arms have the same
    sentences, steps and model. The test split is scored with the final weights and influences
    nothing.
    """
    torch.set_num_threads(1)
    settings = profile(PROFILE)
    data = datasets.load(settings.dataset, sources=REAL)
    pretrained = pretrain(*unlabelled(settings), settings, seed=0, folder=FOLDER)
    log(f"pre-trained in {pretrained.cpu_seconds / 60:.1f} CPU minutes: {pretrained.history[-1]}")
    starts: dict[str, Start] = {"pretrained": pretrained, "from_chance": pretrained.tokenizer}
    rates = {arm: _best_rate(start, data, settings) for arm, start in starts.items()}
    log(f"learning rates: {rates}")
    command = f"course bench pretraining --labels {listed(labels)} --seeds {listed(seeds)}"
    reached: dict[str, list[float]] = {}
    for seed in seeds:
        for count, arm in itertools.product(labels, ARMS):
            at_rate = replace(settings, fine_rate=rates[arm])
            tuned = fine_tune(starts[arm], sample(data["train"][:], count, seed), at_rate, seed)
            accuracy = tuned.accuracy(data["test"][:])
            reached.setdefault(f"{arm}_{count}_labels", []).append(accuracy)
            log(f"seed {seed}, {count} labels, {arm}: {accuracy:.1f} % of the test sentences")
        measures = _measures(reached, labels, pretrained)
        results_file.write(NAME, command, measures, origin(data), also={"learning_rates": rates})
        curve(measures, labels).savefig(
            results_file.folder() / f"{NAME}.svg", metadata={"Date": None}
        )
    return measures


def _best_rate(start: Start, data: datasets.LoadedData, settings: MaskedLanguageProfile) -> float:
    examples, validation = sample(data["train"][:], RATE_LABELS, RATE_SEED), data["validation"][:]

    def reached(rate: float) -> float:
        tuned = fine_tune(start, examples, replace(settings, fine_rate=rate), RATE_SEED)
        return tuned.accuracy(validation)

    return max(RATES, key=reached)


def sample(examples: Examples, count: int, seed: int) -> Examples:
    """`count` of the examples, as many of each class as of the other."""
    rng, labels = np.random.default_rng(seed), np.array(examples["label"])
    order = rng.permutation(len(labels))
    half = [order[labels[order] == label][: count // 2] for label in (0, 1)]
    chosen = rng.permutation(np.concatenate(half)).tolist()
    return {name: [column[i] for i in chosen] for name, column in examples.items()}


def _measures(
    reached: dict[str, list[float]], labels: Sequence[int], pretrained: Pretrained
) -> Measures:
    """The accuracies, what pre-training adds seed by seed, its interval, and what it costs."""
    values = {f"{name}_accuracy": some for name, some in reached.items()}
    for count in labels:
        with_it, without = (reached[f"{arm}_{count}_labels"] for arm in ARMS)
        gains = [a - b for a, b in zip(with_it, without, strict=True)]
        values[f"gain_{count}_labels"] = gains
        if len(gains) > 1:
            _, low, high = mean_interval(gains)
            values |= {f"gain_{count}_labels_low": [low], f"gain_{count}_labels_high": [high]}
    last = pretrained.history[-1]
    values["gap_accuracy"] = [100 * last["gap_accuracy"]]
    values["gap_perplexity"] = [last["gap_perplexity"]]
    values["pretraining_cpu_minutes"] = [pretrained.cpu_seconds / 60]
    return of_values(values)


def curve(measures: dict[str, Any], labels: Sequence[int]) -> Figure:
    """Accuracy over the number of labels, with the 95 % interval of the mean over the seeds."""
    names = {"pretrained": "pre-trained on texts", "from_chance": "from random weights"}
    with canvas(6.4, 3.8) as (figure, (ax,)):
        for arm, colour, marker in (("pretrained", BLUE, "o"), ("from_chance", ORANGE, "s")):
            found = [measures[f"{arm}_{count}_labels_accuracy"] for count in labels]
            means = [one["mean"] for one in found]
            ax.plot(labels, means, color=colour, marker=marker, label=names[arm])
            if all(len(one["values"]) > 1 for one in found):
                bounds = [mean_interval(one["values"])[1:] for one in found]
                low, high = zip(*bounds, strict=True)
                ax.fill_between(labels, low, high, color=colour, alpha=0.2, linewidth=0)
        ax.set_xscale("log")
        ax.set_xticks(labels, labels=[f"{count:,}" for count in labels])
        ax.minorticks_off()
        ax.grid(axis="y")
        ax.set_xlabel("labeled sentences")
        ax.set_ylabel("test accuracy, %")
        ax.set_title("SST-2 with few labels: the mean of the seeds and its 95 % interval")
        ax.legend(loc="lower right")
    return figure
