"""Time and memory of every profile on a CPU, a T4 and an H100: measured, or else computed.

What is measured comes from other results files; memory on the CPU is measured here.
"""

import json
from dataclasses import replace
from typing import Any

import torch

from bench import CHECKOUT, memory_use, real_data
from bench.cost_model import Machine, Training, overhead
from bench.profile_work import PROFILES, WORDS, work
from bench.record import Log, Measures, of_values
from course_lib.data import datasets, registry
from course_lib.data.batching import TokenBuckets
from course_lib.data.tokenization import TextTokenizer
from course_lib.recipes.language import streams
from course_lib.recipes.masked_language import learned_pieces, unlabelled
from course_lib.recipes.translation import pairs_to_batches
from course_lib.training.long_trainings.machine import PRECISIONS
from course_lib.training.long_trainings.peak_memory import PeakMemory
from grader.authoring import results_file

NAME = "bench_hardware"
# Operations in a second by NVIDIA's data sheets, without sparsity: in 32 bits, in 16.
PEAKS = {"t4": (8.1e12, 65e12), "h100": (67e12, 989e12)}
MEASURED = {  # profile: machine, results file, and its measure
    "classifier cpu": ("cpu", "sst2_cpu", "cpu_minutes"),
    "classifier colab": ("cpu", "sst2_six_layers", "cpu_minutes"),
    "translator cpu": ("cpu", "multi30k_cpu", "cpu_minutes"),
    "translator grammar": ("cpu", "grammar_cpu", "cpu_minutes"),
    "translator colab": ("cpu", "multi30k_colab", "cpu_minutes"),
    "translator wide": ("h100", "multi30k_wide", "wall_minutes"),
    "language cpu": ("cpu", "compare_cpu", "transformer_cpu_minutes"),
    "masked cpu": ("cpu", "pretraining", "pretraining_cpu_minutes"),
}
OF_THE_GPU = "translator wide"  # whose measured time shows the overhead of a layer
LIKE = {"wmt14_en_fr": "wmt_news_en_fr"}  # data that is too large to count, by data that is like it
WORDS_OF = {"wikitext_2": 2_088_628}  # of data on the hub alone: by its authors; pieces are more
LARGEST = 10_000_000  # parameters of a model whose step is run here
MINUTE, GIGABYTE = 60.0, 1e9


def run(log: Log) -> Measures:
    """Fill the table; writes `results/bench_hardware.json`, which says of each cell what it is.

    Raises UsageProblem as `memory_use.check` does, DataError where a profile's own data is missing.
    """
    memory_use.check()
    names = [f"{kind} {profile}" for kind, profiles in PROFILES.items() for profile in profiles]
    trainings = {name: training(*name.split()) for name in names}
    machines = {name: calibrated(trainings, name) for name in names}
    values: dict[str, list[float]] = {}
    sources: dict[str, str] = {}
    for name, found in trainings.items():
        where, file, _ = MEASURED.get(name, ("", "", ""))
        for machine, on in machines[name].items():
            key = f"{name}.{machine}_minutes"
            known = machine == where
            minutes = measured_minutes(name) if known else found.seconds(on) / MINUTE
            values[key] = [minutes]
            sources[key] = f"measured: {file}" if known else "computed"
        kind, profile = name.split()
        words = WORDS.get(kind) or PROFILES[kind][profile].length
        here = found.parameters < LARGEST
        for machine, logits in (("cpu", kind != "translator"), ("gpu", True)):
            key = f"{name}.{machine}_gigabytes"
            taken, sources[key] = found.bytes(words, logits), "computed"
            if here and machine == "cpu":
                taken = memory_use.in_a_fresh_process(step_bytes, kind, profile)
                sources[key] = f"measured: {NAME}"
            values[key] = [taken / GIGABYTE]
        log(f"{name}: {values[f'{name}.cpu_minutes'][0]:.1f} minutes on the CPU")
    measures = of_values(values)
    about = {"name": "every data set of a profile", "source": "its training split", "sha256": ""}
    results_file.write(NAME, "course bench hardware", measures, about, {"cells": sources})
    return measures


def training(kind: str, profile: str) -> Training:
    """The multiplications of a profile's training, counted in its own data."""
    settings = PROFILES[kind][profile]
    times = settings.epochs
    if words := WORDS_OF.get(settings.dataset):
        encoder, decoder, predicted, steps = 0, words, float(words), words // settings.max_tokens
    else:
        name = LIKE.get(settings.dataset, settings.dataset)
        encoder, decoder, predicted, steps = _counted(
            kind, replace(settings, dataset=name), real_data.itself(name)
        )
        times *= _rows(settings.dataset) / _rows(name)
    return Training(
        settings.model,
        settings.vocab_size,
        times * encoder,
        times * decoder,
        times * predicted,
        times * steps,
        kind == "translator",
        settings.max_tokens,
    )


def calibrated(trainings: dict[str, Training], name: str) -> dict[str, Machine]:
    """The machines for this profile, with what measured trainings say of them."""
    kind, profile = name.split()
    known = next(other for other in MEASURED if other.startswith(kind))  # its time on the CPU
    rate = trainings[known].operations / (MINUTE * measured_minutes(known))
    seconds = MINUTE * measured_minutes(OF_THE_GPU)
    beside = overhead(trainings[OF_THE_GPU], seconds, PEAKS["h100"][0])
    halves = PROFILES[kind][profile].precision != next(iter(PRECISIONS))
    gpus = {gpu: Machine(peaks[halves], overhead=beside) for gpu, peaks in PEAKS.items()}
    return {"cpu": Machine(rate, utilisation=1.0), **gpus}


def measured_minutes(name: str) -> float:
    """The measured time of a profile's training, the mean over its seeds: in CPU or GPU minutes."""
    _, file, measure = MEASURED[name]
    path = CHECKOUT / "results" / f"{file}.json"
    return json.loads(path.read_text(encoding="utf-8"))["measures"][measure]["mean"]


def step_bytes(kind: str, profile: str) -> int:
    """The most memory of two steps, in a process that has done nothing else."""
    torch.set_num_threads(1)
    _steps(kind, "tiny", rows=1)  # what libraries allocate once
    memory = PeakMemory(memory_use.device())
    _steps(kind, profile, rows=None)
    return memory.added


def _steps(kind: str, profile: str, rows: int | None) -> None:
    done = work(kind, profile)
    optimizer = done.optimizer()
    for _ in range(2):
        done.loss(done.model.train(), *(part[:rows] for part in done.batch))[0].backward()
        optimizer.step()
        optimizer.zero_grad()


def _counted(kind: str, settings: Any, data: datasets.LoadedData) -> tuple[int, int, float, int]:
    """Tokens that an encoder and a decoder read in an epoch, predicted ones, and its steps."""
    if kind == "translator":
        _, batches = pairs_to_batches(data, settings, settings.seed)
        sides = (batches.source_ids, batches.target_ids)
        encoder, decoder = (sum(map(len, side)) for side in sides)
        return encoder, decoder, decoder, len(batches)
    if kind == "language":
        _, tokens, _ = streams(data, settings)
        return 0, len(tokens), len(tokens), len(tokens) // settings.max_tokens
    if kind == "masked":
        _, pieces = learned_pieces(unlabelled(settings)[0], settings)
        read, steps = _of_an_encoder(pieces, settings)
        return read, 0, settings.share * read, steps
    texts = data["train"][: settings.train_limit or len(data["train"])]["sentence"]
    tokenizer = TextTokenizer.train(
        texts, vocab_size=settings.vocab_size, min_frequency=settings.min_frequency
    )
    read, steps = _of_an_encoder(tokenizer.encode(texts), settings)
    return read, 0, 0, steps


def _of_an_encoder(sequences: list[list[int]], settings: Any) -> tuple[int, int]:
    """The tokens of all sequences, and the steps that read them."""
    buckets = TokenBuckets(sequences, [0] * len(sequences), settings.max_tokens)
    return sum(map(len, sequences)), len(buckets)


def _rows(dataset: str) -> int:
    entries = registry.read(registry.REGISTRY).datasets
    (entry,) = (entry for entry in entries if entry.name == dataset)
    return next(split.rows for split in entry.splits if split.name == "train")
