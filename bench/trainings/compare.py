"""A Transformer beside recurrent language models of its size, and beside counted n-grams."""

import time
from collections.abc import Sequence
from statistics import fmean
from typing import Any

import torch
from matplotlib.figure import Figure
from torch import nn

from bench.memory_use import saved_bytes
from bench.real_data import real
from bench.record import Log, Measures, listed, of_values, origin
from course_lib.data.datasets import LoadedData
from course_lib.data.token_blocks import stream
from course_lib.data.tokenizer import END
from course_lib.evaluation.language import perplexity
from course_lib.evaluation.ngrams import NgramModel
from course_lib.families.recurrent import RecurrentLanguageModel, recurrent_width
from course_lib.recipes.language import (
    Build,
    TrainedLanguageModel,
    streams,
    train_language_model,
    transformer,
)
from course_lib.recipes.language_profiles import LanguageProfile, profile
from course_lib.training.language_losses import language_loss
from course_study.report.figures import BLUE, ORANGE, PURPLE, canvas
from grader.authoring import results_file

MODELS = ("transformer", "lstm", "gru")
LENGTHS = (64, 128, 256, 512, 1024, 2048)  # tokens of a text that is trained on
TOKENS = 2048  # of a batch that is timed
ORDERS = (2, 3, 4, 5)  # of the n-grams; the best on validation is taken
N_LAYERS = 2  # of a recurrent model
STEPS = 3  # timed at each length; the fastest counts, for others may have the processor
MIB = 2**20  # bytes


def run(models: Sequence[str], profile_name: str, seeds: Sequence[int], log: Log) -> Measures:
    """Train each model once a seed, and measure a step at each length; writes after each seed.

    All have the transformer's number of parameters, its tokenizer, data, steps and optimizer.
    The test split is scored with the final weights and influences nothing.
    """
    torch.set_num_threads(1)
    settings = profile(profile_name)
    data = real(settings.dataset)
    name = f"compare_{profile_name}"
    reached = _counted(data, settings)
    log(f"n-grams of order {reached['ngram_order'][0]:.0f}: {reached['ngram_perplexity'][0]:.1f}")
    for model in models:
        reached |= _by_length(model, reached["vocab_size"][0], settings)
        log(f"{model}: measured at {', '.join(map(str, LENGTHS))} tokens")
    for done, seed in enumerate(seeds, start=1):
        for model in models:
            trained = train_language_model(data, settings, seed, builder(model))
            for key, value in _measured(trained, data, settings).items():
                reached.setdefault(f"{model}_{key}", []).append(value)
            log(
                f"seed {seed}, {model}: test perplexity {reached[f'{model}_perplexity'][-1]:.1f} "
                f"after {trained.cpu_seconds / 60:.1f} CPU minutes"
            )
        measures = of_values(reached)
        command = (
            f"course bench compare --models {','.join(models)} --profile {profile_name} "
            f"--seeds {listed(seeds[:done])}"
        )
        also = {"lengths": LENGTHS, "epochs": settings.epochs}
        results_file.write(name, command, measures, origin(data), also)
        drawn = figure(measures, models)
        drawn.savefig(results_file.folder() / f"{name}.svg", metadata={"Date": None})
    return measures


def builder(model: str) -> Build:
    """A maker of untrained models; a recurrent one of the transformer's size."""
    if model == "transformer":
        return transformer

    def recurrent(vocab_size: int, settings: LanguageProfile) -> nn.Module:
        with torch.device("meta"):  # to be counted only
            wanted = _size(transformer(vocab_size, settings))
        width = recurrent_width(model, N_LAYERS, vocab_size, wanted)
        dropout = settings.model.dropout
        cell: Any = model
        return RecurrentLanguageModel(vocab_size, cell, N_LAYERS, width, dropout)

    return recurrent


def _counted(data: LoadedData, settings: LanguageProfile) -> dict[str, list[float]]:
    """The best order of n-grams on the validation split, and its perplexity on the test split."""
    tokenizer, train, validation = streams(data, settings)
    test = _test(tokenizer, data, settings)
    counted = {n: NgramModel(train.tolist(), tokenizer.vocab_size, n) for n in ORDERS}
    held_out = {n: model.perplexity(validation.tolist()) for n, model in counted.items()}
    best = min(held_out, key=held_out.__getitem__)
    return {
        "vocab_size": [tokenizer.vocab_size],
        "ngram_order": [best],
        "ngram_validation_perplexity": [held_out[best]],
        "ngram_perplexity": [counted[best].perplexity(test.tolist())],
    }


def _test(tokenizer: Any, data: LoadedData, settings: LanguageProfile) -> torch.Tensor:
    name = next(split for split in data.splits if split.startswith("test"))
    return stream(tokenizer.encode(data[name][:][settings.text]), END)


def _measured(
    trained: TrainedLanguageModel, data: LoadedData, settings: LanguageProfile
) -> dict[str, float]:
    test = _test(trained.tokenizer, data, settings)
    losses = [row["loss"] for row in trained.history if "loss" in row]
    return {
        "parameters": _size(trained.model),
        "validation_perplexity": trained.history[-1]["validation_perplexity"],
        "perplexity": perplexity(trained.model, test, settings.length),
        "training_loss": fmean(losses[-50:]),
        "tokens_per_second": trained.tokens / trained.cpu_seconds,
        "cpu_minutes": trained.cpu_seconds / 60,
        "wall_minutes": trained.wall_seconds / 60,
    }


def _by_length(model: str, vocab_size: float, settings: LanguageProfile) -> dict[str, list[float]]:
    """Of a training step on one batch of `TOKENS`: tokens a second, memory of a text.

    The time is the processor's. The memory is that of everything the forward pass keeps for the
    backward pass, the parameters aside; it is counted, and the same on every machine.
    """
    torch.manual_seed(0)
    made = builder(model)(int(vocab_size), settings).train()
    found: dict[str, list[float]] = {}
    for length in LENGTHS:
        rows = max(1, TOKENS // length)
        ids = torch.randint(4, int(vocab_size), (rows, length + 1))
        found[f"{model}_tokens_per_second_{length}"] = [rows * length / _seconds(made, ids)]
        found[f"{model}_kept_{length}"] = [saved_bytes(made, language_loss, (ids[:1],)) / MIB]
    return found


def _seconds(model: nn.Module, ids: torch.Tensor) -> float:
    """The fastest of some training steps, without the optimizer's."""
    times = []
    for _ in range(STEPS):
        started = time.process_time()
        language_loss(model, ids)[0].backward()
        times.append(time.process_time() - started)
        model.zero_grad()
    return min(times)


def figure(measures: dict[str, Any], models: Sequence[str]) -> Figure:
    """Tokens a second, and memory of one text, against the length of the text."""
    looks = {"transformer": (BLUE, "o"), "lstm": (ORANGE, "s"), "gru": (PURPLE, "D")}
    shown = {"transformer": "Transformer", "lstm": "LSTM", "gru": "GRU"}
    with canvas(8.2, 3.4, n_columns=2) as (drawn, (speed, memory)):
        for model in models:
            colour, marker = looks[model]
            for ax, measure in ((speed, "tokens_per_second"), (memory, "kept")):
                values = [measures[f"{model}_{measure}_{length}"]["mean"] for length in LENGTHS]
                ax.plot(LENGTHS, values, color=colour, marker=marker, label=shown[model])
        for ax in (speed, memory):
            ax.set_xscale("log", base=2)
            ax.set_xticks(LENGTHS, labels=[f"{length:,}" for length in LENGTHS])
            ax.minorticks_off()
            ax.grid(axis="y")
            ax.set_xlabel("tokens of a text")
        speed.set_ylim(bottom=0)
        speed.yaxis.set_major_formatter("{x:,.0f}")
        speed.set_ylabel("tokens a second, in training")
        memory.set_yscale("log", base=2)
        memory.yaxis.set_major_formatter("{x:g}")
        memory.set_ylabel("MiB kept for the backward pass")
        memory.legend(loc="upper left")
    return drawn


def _size(model: nn.Module) -> int:
    return sum(parameter.numel() for parameter in model.parameters())
