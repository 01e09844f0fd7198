"""`course bench …`: how well the library's models learn, how fast they run, and the grader's."""

from pathlib import Path
from typing import Annotated

import typer

from grader.cli.options import Json
from grader.cli.output import UsageProblem

from .command_output import Seeds, known, labeled, log, measure, numbers, plain, seeded, show
from .grader.commands import grader_app

Resume = Annotated[
    bool, typer.Option("--resume", help="without the seeds that an ended run finished")
]

bench_app = typer.Typer(help="Run benchmarks; each writes results/NAME.json.", no_args_is_help=True)
bench_app.add_typer(grader_app)
PLAIN = {  # name: module, help; most write results/bench_NAME.json
    "encoder": ("speeds.encoder", "Training step of the encoder beside torch.nn's; a minute."),
    "train": ("speeds.training", "Training step of the Transformer beside torch.nn's; minutes."),
    "study": ("speeds.study", "What a study costs beside its training; two workers; minutes."),
    "memory": ("memory", "What recomputing, accumulating, packing and 16 bits save; minutes."),
    "hardware": ("hardware", "Time and memory of every profile on three machines."),
    "size": ("size", "Lines and files of Python in each building, the budget of a test."),
    "scaling": ("trainings.scaling", "Loss by width and by tokens read; 2 CPU minutes."),
}
SEEDED = {
    "positions": "Perplexity with five schemes of positions; 5 CPU minutes a seed.",
    "induction": "Induction heads: losses with and without; 4 CPU minutes a seed.",
    "grammar": "The translator on generated sentences: exact matches, word alignment.",
    "serving": "A language model in few bits, with guesses, in batches; 2 CPU minutes a seed.",
    "answering": "Right answers after each stage of a training; 3 CPU minutes a seed.",
}
LABELED = {  # name: help, default numbers of labels, default seeds
    "pretraining": (
        "Accuracy on SST-2 by labels, with and without pre-training; 40 minutes.",
        "50,100,200,500,1000,2000,6000",
        "0,1,2,3,4",
    ),
    "published": (
        "Accuracy on SST-2 of a published encoder, frozen, fine-tuned, adapted; 30 minutes.",
        "50,200,1000,6000",
        "0,1,2",
    ),
}
for _name, (_module, _about) in PLAIN.items():
    plain(bench_app, _name, _module, _about)
for _name, _about in SEEDED.items():
    seeded(bench_app, _name, _about)
for _name, _given in LABELED.items():
    labeled(bench_app, _name, *_given)


@bench_app.command("small_data")
def small_data(seeds: Seeds = "0,1,2", resume: Resume = False, json: Json = False) -> None:
    """BLEU of the translator by choices for small corpora, equal compute; 40 CPU minutes a seed."""
    measure("trainings.small_data", json, numbers(seeds), resume)


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
    threads: Annotated[int, typer.Option(min=1, help="of each contender")] = 1,
    ctranslate2: Annotated[bool, typer.Option(help="also CTranslate2, if installed")] = True,
    json: Json = False,
) -> None:
    """Our cached beam search beside no cache and CTranslate2, same weights; some minutes."""
    from course_lib.decoding.translator import TranslationError

    from .speeds import decode as bench

    try:
        measures = bench.run(model, sentences, ctranslate2, log, threads)
    except TranslationError as error:
        raise UsageProblem(str(error)) from None
    show(measures, f"results/{bench.NAME}.json", json)


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
