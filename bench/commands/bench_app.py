"""The commands of `course bench` and their options; see `bench_command`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from grader.cli.options import Json

bench_app = typer.Typer(help="Run benchmarks; each writes results/NAME.json.", no_args_is_help=True)


@bench_app.command("grading")
def bench_grading(
    json: Json = False,
    submissions: Annotated[int, typer.Option(min=1, help="of each assignment")] = 10,
    assignments: Annotated[str, typer.Option(help="a1,a2,…; default: all")] = "",
) -> None:
    """Our grading against `nbgrader autograde`: one submission, and a whole class."""
    from . import bench_command

    raise typer.Exit(bench_command.grading(submissions, assignments, json))


@bench_app.command("class")
def bench_class(
    json: Json = False,
    submissions: Annotated[int, typer.Option(min=2, help="synthetic, all right")] = 240,
    sample: Annotated[
        int, typer.Option(min=2, help="of them, graded with each number of workers")
    ] = 60,
    assignment: Annotated[str, typer.Option(help="a1, a2, …")] = "a2",
    workers: Annotated[str, typer.Option(help="numbers of Dask workers to compare")] = "1,2",
) -> None:
    """A large class on Dask workers: throughput by workers, and the client's memory."""
    from . import bench_command

    raise typer.Exit(bench_command.large_class(submissions, sample, assignment, workers, json))


@bench_app.command("trained-class")
def bench_trained_class(
    json: Json = False,
    submissions: Annotated[int, typer.Option(min=2, help="with a trained translator each")] = 200,
    jobs: Annotated[int, typer.Option(min=1, help="as of course grade")] = 2,
    assignment: Annotated[str, typer.Option(help="one that hands in a translator")] = "a4",
) -> None:
    """A class that hands in trained translators: CPU seconds a submission, minutes in all."""
    from . import bench_command

    raise typer.Exit(bench_command.trained_class(submissions, jobs, assignment, json))


@bench_app.command("model")
def bench_model(json: Json = False) -> None:
    """Our multi-head attention against torch.nn.MultiheadAttention, interleaved."""
    from . import bench_command

    raise typer.Exit(bench_command.model(json))


@bench_app.command("sst2")
def bench_sst2(
    profile: Annotated[
        str, typer.Option(help="of course_lib.recipes.classifier_profiles, except tiny")
    ] = "cpu",
    seeds: Annotated[str, typer.Option(help="one training run each")] = "100,101,102,103,104",
    name: Annotated[str | None, typer.Option(help="of the results file")] = None,  # noqa: UP007
    json: Json = False,
) -> None:
    """Accuracy of the sentence classifier on real SST-2: one training run per seed."""
    from . import bench_command

    raise typer.Exit(bench_command.sst2(profile, seeds, name, json))


@bench_app.command("pretraining")
def bench_pretraining(
    labels: Annotated[
        str, typer.Option(help="how many sentences have one")
    ] = "50,100,200,500,1000,2000,6000",
    seeds: Annotated[str, typer.Option(help="one fine-tuning each")] = "0,1,2,3,4",
    json: Json = False,
) -> None:
    """Accuracy on SST-2 over the number of labels, with and without pre-training; 40 minutes."""
    from . import bench_command

    raise typer.Exit(bench_command.pretraining(labels, seeds, json))


@bench_app.command("tables")
def bench_tables(
    seeds: Annotated[str, typer.Option(help="of contrasts and trainings")] = "0,1,2,3,4",
    json: Json = False,
) -> None:
    """How lookup tables and honest classifiers of SST-2 answer contrasts; 15 CPU minutes."""
    from . import bench_command

    raise typer.Exit(bench_command.tables(seeds, json))


@bench_app.command("encoder")
def bench_encoder(json: Json = False) -> None:
    """Training step of the fast encoder against torch.nn.TransformerEncoder; about a minute."""
    from . import bench_command

    raise typer.Exit(bench_command.encoder(json))


@bench_app.command("multi30k")
def bench_multi30k(
    profile: Annotated[
        str, typer.Option(help="of course_lib.recipes.translation_profiles")
    ] = "cpu",
    seeds: Annotated[str, typer.Option(help="one training run each")] = "0",
    name: Annotated[str | None, typer.Option(help="of the results file")] = None,  # noqa: UP007
    test: Annotated[  # noqa: UP007
        str | None, typer.Option(help="also translate test_2016_flickr, into this results file")
    ] = None,
    json: Json = False,
) -> None:
    """BLEU of the translator on real Multi30k: one training run per seed."""
    from . import bench_command

    raise typer.Exit(bench_command.multi30k(profile, seeds, name, test, json))


@bench_app.command("averages")
def bench_averages(
    profile: Annotated[
        str, typer.Option(help="of course_lib.recipes.translation_profiles")
    ] = "tiny",
    seeds: Annotated[str, typer.Option(help="one training run each")] = "0",
    json: Json = False,
) -> None:
    """BLEU of the translator's last weights and of averages that reach back less and less."""
    from . import bench_command

    raise typer.Exit(bench_command.averages(profile, seeds, json))


@bench_app.command("grammar")
def bench_grammar(
    seeds: Annotated[str, typer.Option(help="one training run each")] = "0,1,2",
    json: Json = False,
) -> None:
    """The translator on generated sentences: exact matches, and word alignment by attention."""
    from . import bench_command

    raise typer.Exit(bench_command.grammar(seeds, json))


@bench_app.command("train")
def bench_train(json: Json = False) -> None:
    """Training step of our Transformer, base size, against torch.nn.Transformer; some minutes."""
    from . import bench_command

    raise typer.Exit(bench_command.train(json))


@bench_app.command("memory")
def bench_memory(json: Json = False) -> None:
    """What recomputing, accumulating, packing and 16 bits save and cost; some minutes."""
    from . import bench_command

    raise typer.Exit(bench_command.memory(json))


@bench_app.command("hardware")
def bench_hardware(json: Json = False) -> None:
    """Time and memory of every profile on three machines, computed where nobody has measured."""
    from . import bench_command

    raise typer.Exit(bench_command.hardware(json))


@bench_app.command("profile")
def bench_profile(
    model: Annotated[str, typer.Option(help="classifier, translator or language")] = "translator",
    profile: Annotated[str, typer.Option(help="tiny, cpu, colab, …: how large it is")] = "cpu",
    json: Json = False,
) -> None:
    """Where the time of a training step goes: operators by torch.profiler, and a trace to view."""
    from . import bench_command

    raise typer.Exit(bench_command.profile(model, profile, json))


@bench_app.command("study")
def bench_study(json: Json = False) -> None:
    """What a study costs beside its training, and what a second worker brings; minutes."""
    from . import bench_command

    raise typer.Exit(bench_command.study(json))


@bench_app.command("site")
def bench_site(
    folder: Annotated[Path, typer.Option(help="the built site")] = Path("out/site"),
    runs: Annotated[int, typer.Option(min=1, help="of each page and device")] = 3,
    json: Json = False,
) -> None:
    """Lighthouse's scores of the built site, which npx runs; some minutes."""
    from . import bench_command

    raise typer.Exit(bench_command.site(folder, runs, json))


@bench_app.command("similar")
def bench_similar(
    assignments: Annotated[str, typer.Option(help="a1,a2,…; default: all")] = "",
    json: Json = False,
) -> None:
    """How often `course similar` finds copies and accuses independent work; some minutes."""
    from . import bench_command

    raise typer.Exit(bench_command.similar(assignments, json))


@bench_app.command("decode")
def bench_decode(
    model: Annotated[Path, typer.Option(help="a folder that Translator.save wrote")],
    sentences: Annotated[int, typer.Option(min=5, help="of test_2016_flickr")] = 1000,
    peers: Annotated[str, typer.Option(help="libraries to compare with")] = (
        "ctranslate2,huggingface,joeynmt"
    ),
    json: Json = False,
) -> None:
    """Our cached beam search against no cache and other libraries, same weights; some minutes."""
    from . import bench_command

    raise typer.Exit(bench_command.decode(model, sentences, peers, json))
