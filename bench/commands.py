"""`course bench …`: how well the library's models learn, how fast they run, and the grader's."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from grader.cli.options import Json
from grader.cli.problems import UsageProblem

from .command_output import Seeds, known, log, numbers, plain, seeded, show
from .grader.commands import grader_app

Resume = Annotated[
    bool, typer.Option("--resume", help="without the seeds that an ended run finished")
]

bench_app = typer.Typer(help="Run benchmarks; each writes results/NAME.json.", no_args_is_help=True)
bench_app.add_typer(grader_app)
plain(
    *(bench_app, "model", "speeds.model"),
    "Our multi-head attention against torch.nn.MultiheadAttention, interleaved.",
)
plain(
    *(bench_app, "encoder", "speeds.encoder"),
    "Training step of the fast encoder against torch.nn.TransformerEncoder; about a minute.",
)
plain(
    *(bench_app, "train", "speeds.training"),
    "Training step of our Transformer, base size, against torch.nn.Transformer; some minutes.",
)
plain(
    *(bench_app, "study", "speeds.study"),
    "What a study costs beside its training, and what a second worker brings; minutes.",
    log,
)
plain(
    *(bench_app, "memory", "memory"),
    "What recomputing, accumulating, packing and 16 bits save and cost; some minutes.",
    log,
)
plain(
    *(bench_app, "hardware", "hardware"),
    "Time and memory of every profile on three machines, computed where nobody has measured.",
    log,
)
plain(
    *(bench_app, "size", "size"),
    "Lines and files of Python in each building: the budget that a test compares with.",
)
seeded(
    *(bench_app, "positions", "trainings.positions"),
    "Perplexity with sinusoidal, learned, relative, rotary and no positions; 5 CPU minutes.",
    "0,1,2",
)
seeded(
    *(bench_app, "induction", "trainings.induction"),
    "Induction heads of a small language model: its losses with and without; 4 CPU minutes.",
    "0,1,2",
)
seeded(
    *(bench_app, "grammar", "trainings.grammar"),
    "The translator on generated sentences: exact matches, and word alignment by attention.",
    "0,1,2",
)
seeded(
    *(bench_app, "serving", "trainings.serving"),
    "A language model in few bits, with guesses, in batches, in pages; 2 CPU minutes a seed.",
    "0,1,2",
)
seeded(
    *(bench_app, "answering", "trainings.answering"),
    "Right answers of a small model after each stage of its training; 3 CPU minutes a seed.",
    "0,1,2",
)


@bench_app.command("small_data")
def small_data(seeds: Seeds = "0,1,2", resume: Resume = False, json: Json = False) -> None:
    """BLEU of the translator by choices for small corpora, equal compute; 40 CPU minutes a seed."""
    from .trainings import small_data as bench

    show(bench.run(numbers(seeds), resume, log), f"results/{bench.NAME}.json", json)


TranslationProfile = Annotated[
    str,
    typer.Option(
        help="of course_lib.recipes.translation_profiles", callback=known("translation_profiles")
    ),
]
ResultsFile = Annotated[str | None, typer.Option(help="of the results file")]  # noqa: UP007


@bench_app.command("decode")
def decode(
    model: Annotated[Path, typer.Option(help="a folder that Translator.save wrote")],
    sentences: Annotated[int, typer.Option(min=5, help="of test_2016_flickr")] = 1000,
    peers: Annotated[str, typer.Option(help="libraries to compare with")] = (
        "ctranslate2,huggingface,joeynmt"
    ),
    threads: Annotated[int, typer.Option(min=1, help="of each contender")] = 1,
    json: Json = False,
) -> None:
    """Our cached beam search against no cache and other libraries, same weights; some minutes."""
    from course_lib.decoding.translator import TranslationError

    from .speeds import decode as bench

    names = [name for name in peers.split(",") if name]
    try:
        measures = bench.run(model, sentences, names, log, threads)
    except TranslationError as error:
        raise UsageProblem(str(error)) from None
    show(measures, "results/bench_decode.json", json)


@bench_app.command("sst2")
def sst2(
    profile: Annotated[
        str,
        typer.Option(
            help="of course_lib.recipes.classifier_profiles, except tiny",
            callback=known("classifier_profiles"),
        ),
    ] = "cpu",
    seeds: Seeds = "100,101,102,103,104",
    name: ResultsFile = None,
    json: Json = False,
) -> None:
    """Accuracy of the sentence classifier on real SST-2: one training run per seed."""
    from .trainings import sentiment as bench

    target = name or f"sst2_{profile}"
    show(bench.run(profile, numbers(seeds), target, log), f"results/{target}.json", json)


@bench_app.command("pretraining")
def pretraining(
    labels: Annotated[
        str, typer.Option(help="how many sentences have one")
    ] = "50,100,200,500,1000,2000,6000",
    seeds: Annotated[str, typer.Option(help="one fine-tuning each")] = "0,1,2,3,4",
    json: Json = False,
) -> None:
    """Accuracy on SST-2 over the number of labels, with and without pre-training; 40 minutes."""
    from .trainings import pretraining as bench

    counts = numbers(labels, "--labels", least=2)  # one of each class
    show(bench.run(counts, numbers(seeds), log), f"results/{bench.NAME}.json", json)


@bench_app.command("published")
def published(
    labels: Annotated[str, typer.Option(help="how many sentences have one")] = "50,200,1000,6000",
    seeds: Seeds = "0,1,2",
    json: Json = False,
) -> None:
    """Accuracy on SST-2 of a published encoder: frozen, fine-tuned, adapted; 30 minutes."""
    from .trainings import published as bench

    counts = numbers(labels, "--labels", least=2)  # one of each class
    show(bench.run(counts, numbers(seeds), log), f"results/{bench.NAME}.json", json)


@bench_app.command("compare")
def compare(
    models: Annotated[str, typer.Option(help="of transformer, lstm and gru")] = (
        "transformer,lstm,gru"
    ),
    profile: Annotated[
        str,
        typer.Option(
            help="of course_lib.recipes.language_profiles, except tiny",
            callback=known("language_profiles"),
        ),
    ] = "cpu",
    seeds: Seeds = "0",
    json: Json = False,
) -> None:
    """Language models of one size on real text, beside n-grams; 13 CPU minutes a seed."""
    from .trainings import compare as bench

    chosen = [model for model in models.split(",") if model]
    if not chosen or not set(chosen) <= set(bench.MODELS):
        raise UsageProblem(f"--models {models}: choose some of {', '.join(bench.MODELS)}")
    measures = bench.run(chosen, profile, numbers(seeds), log)
    show(measures, f"results/compare_{profile}.json", json)


@bench_app.command("scaling")
def scaling(json: Json = False) -> None:
    """Loss of the language model by its width and by how much it reads; 2 CPU minutes."""
    from .trainings import scaling as bench

    show(bench.run(log), f"results/{bench.NAME}.json", json)


@bench_app.command("multi30k")
def multi30k(
    profile: TranslationProfile = "cpu",
    seeds: Seeds = "0",
    name: ResultsFile = None,
    test: Annotated[  # noqa: UP007
        str | None, typer.Option(help="also translate test_2016_flickr, into this results file")
    ] = None,
    jobs: Annotated[int, typer.Option(min=1, help="seeds trained at a time, a core each")] = 1,
    resume: Resume = False,
    json: Json = False,
) -> None:
    """BLEU of the translator on real Multi30k: one training run per seed."""
    from .trainings import translation as bench

    target = name or f"multi30k_{profile}"
    measures = bench.run(profile, numbers(seeds), target, test, jobs, resume, log)
    files = [f"results/{file}.json" for file in (target, test) if file]
    show(measures, " and ".join(files), json)


@bench_app.command("profile")
def profile(
    model: Annotated[
        str, typer.Option(help="classifier, translator, language or masked")
    ] = "translator",
    profile: Annotated[str, typer.Option(help="tiny, cpu, colab, …: how large it is")] = "cpu",
    json: Json = False,
) -> None:
    """Where the time of a training step goes: operators by torch.profiler, and a trace to view."""
    from . import step_profile as bench

    try:
        measures, table, trace = bench.run(model, profile)
    except ValueError as error:
        raise UsageProblem(str(error)) from None
    if not json:
        print(table)
        print(f"open it at ui.perfetto.dev, or with TensorBoard's profiler: {trace}")
    show(measures, f"results/{bench.NAME}.json", json)
