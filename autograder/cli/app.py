"""The commands and their options; each command's work is in the module it names."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from . import EXIT_CODES, EXIT_FOUND

app = typer.Typer(
    help="Build, check, grade and report on the Transformer course.",
    epilog=EXIT_CODES,
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode="rich",
)
bench_app = typer.Typer(
    help="Measured comparisons; each writes results/NAME.json.", no_args_is_help=True
)
app.add_typer(bench_app, name="bench")

Json = Annotated[bool, typer.Option("--json", help="Print what a program would read.")]
OptionalPath = Annotated[Path | None, typer.Option()]  # noqa: UP007


@app.command()
def build(
    assignments: Annotated[list[str] | None, typer.Argument(help="a1 a2 …; all if none")] = None,  # noqa: UP007
    check: Annotated[bool, typer.Option("--check", help="Change nothing; fail on drift.")] = False,
    json: Json = False,
) -> None:
    """Make starters, solutions and their READMEs from course_lib."""
    from . import build_command

    raise typer.Exit(build_command.run(assignments or [], check, json))


@app.command()
def check(
    assignment: Annotated[str, typer.Argument(help="a1, a2, …")],
    notebook: Annotated[Path, typer.Argument(help="the notebook file, saved")],
    json: Json = False,
) -> None:
    """Run the visible tests on a saved notebook, as its own check cells do."""
    from . import check_command

    raise typer.Exit(check_command.run(assignment, notebook, json))


@app.command()
def debug(
    notebook: Annotated[  # noqa: UP007
        Path | None, typer.Argument(help="a notebook of assignment 3; without one, known faults")
    ] = None,
    json: Json = False,
) -> None:
    """Run the checklist for a model that does not learn: shapes, masks, positions, gradients."""
    from . import debug_command

    raise typer.Exit(debug_command.run(notebook, json))


@app.command()
def grade(
    submissions: Annotated[Path, typer.Argument(help="STUDENT/a1/*.ipynb, STUDENT.ipynb or .zip")],
    out: Annotated[Path, typer.Option(help="folder for results and report")] = Path("out/grades"),
    assignment: Annotated[str | None, typer.Option(help="only this assignment")] = None,  # noqa: UP007
    only: Annotated[str | None, typer.Option(help="only this student")] = None,  # noqa: UP007
    exercise: Annotated[str | None, typer.Option(help="only this exercise, e.g. 1.4")] = None,  # noqa: UP007
    show: Annotated[bool, typer.Option("--show", help="print every failing test in full")] = False,
    manual: Annotated[Path | None, typer.Option(help="CSV of manual scores and overrides")] = None,  # noqa: UP007
    jobs: Annotated[int, typer.Option(min=1, help="submissions in flight")] = 2,
    regrade: Annotated[bool, typer.Option("--regrade", help="grade again what is known")] = False,
    require_isolation: Annotated[
        str | None, typer.Option(help="refuse below this tier: A, B or C")  # noqa: UP007
    ] = None,
    trust: Annotated[
        bool, typer.Option("--i-trust-these-submissions", help="grade below tier C all the same")
    ] = False,
    labels_from: Annotated[
        str, typer.Option(help="a trained model's labels: mirror, hub, package, generated, none")
    ] = "mirror,hub",
    json: Json = False,
) -> None:
    """Grade a folder of submissions against the hidden suites, in a sandbox."""
    from . import grade_command

    raise typer.Exit(
        grade_command.run(
            grade_command.Options(
                submissions,
                out,
                assignment,
                only,
                exercise,
                show,
                manual,
                jobs,
                regrade,
                require_isolation,
                trust,
                labels_from,
                json,
            )
        )
    )


@app.command()
def report(
    out: Annotated[Path, typer.Argument(help="the folder `grade` wrote")] = Path("out/grades"),
    manual: Annotated[Path | None, typer.Option(help="CSV of manual scores and overrides")] = None,  # noqa: UP007
    json: Json = False,
) -> None:
    """Write report, CSV and JSON again, say after manual scores came in."""
    from . import report_command

    raise typer.Exit(report_command.run(out, manual, json))


@app.command()
def demo(
    out: Annotated[Path, typer.Option(help="folder for the demo's report")] = Path("out/demo"),
    jobs: Annotated[int, typer.Option(min=1)] = 2,
) -> None:
    """Grade a small bundled class and say what to look at."""
    from . import demo_command

    raise typer.Exit(demo_command.run(out, jobs))


@bench_app.command("grading")
def bench_grading(
    json: Json = False,
    submissions: Annotated[int, typer.Option(min=1, help="of each assignment")] = 10,
) -> None:
    """Our grading against `nbgrader autograde`, on the same notebook, in one run."""
    from . import bench_command

    raise typer.Exit(bench_command.grading(submissions, json))


@bench_app.command("model")
def bench_model(json: Json = False) -> None:
    """Our multi-head attention against torch.nn.MultiheadAttention, interleaved."""
    from . import bench_command

    raise typer.Exit(bench_command.model(json))


@bench_app.command("sst2")
def bench_sst2(
    profile: Annotated[str, typer.Option(help="of course_lib.profiles, but tiny")] = "cpu",
    seeds: Annotated[str, typer.Option(help="one training each")] = "100,101,102,103,104",
    name: Annotated[str | None, typer.Option(help="of the results file")] = None,  # noqa: UP007
    json: Json = False,
) -> None:
    """What the sentence classifier reaches on real SST-2: one training a seed."""
    from . import bench_command

    raise typer.Exit(bench_command.sst2(profile, seeds, name, json))


@bench_app.command("encoder")
def bench_encoder(json: Json = False) -> None:
    """Train the encoder in its fast forms, against torch.nn.TransformerEncoder; a minute."""
    from . import bench_command

    raise typer.Exit(bench_command.encoder(json))


@bench_app.command("multi30k")
def bench_multi30k(
    profile: Annotated[str, typer.Option(help="of course_lib.translation_profiles")] = "cpu",
    seeds: Annotated[str, typer.Option(help="one training each")] = "0",
    name: Annotated[str | None, typer.Option(help="of the results file")] = None,  # noqa: UP007
    test: Annotated[  # noqa: UP007
        str | None, typer.Option(help="translate test_2016_flickr, into this results file")
    ] = None,
    json: Json = False,
) -> None:
    """What the translator reaches on real Multi30k: one training a seed."""
    from . import bench_command

    raise typer.Exit(bench_command.multi30k(profile, seeds, name, test, json))


@bench_app.command("train")
def bench_train(json: Json = False) -> None:
    """Train our Transformer at base size, against torch.nn.Transformer; some minutes."""
    from . import bench_command

    raise typer.Exit(bench_command.train(json))


@bench_app.command("decode")
def bench_decode(
    model: Annotated[Path, typer.Option(help="a folder that Translator.save wrote")],
    sentences: Annotated[int, typer.Option(min=5, help="of test_2016_flickr")] = 1000,
    peers: Annotated[str, typer.Option(help="whom to compare with")] = (
        "ctranslate2,huggingface,joeynmt"
    ),
    json: Json = False,
) -> None:
    """Our beam search with its cache, against none and others', on the same weights; minutes."""
    from . import bench_command

    raise typer.Exit(bench_command.decode(model, sentences, peers, json))


__all__ = ["EXIT_FOUND", "app"]
