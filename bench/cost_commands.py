"""The commands of `course bench` that say what a training takes: memory, profile, hardware."""

from __future__ import annotations

from typing import Annotated

import typer

from grader.cli.options import Json
from grader.cli.problems import UsageProblem

from .command_output import log, plain, show

cost_app = typer.Typer()
plain(
    *(cost_app, "memory", "memory"),
    "What recomputing, accumulating, packing and 16 bits save and cost; some minutes.",
    log,
)
plain(
    *(cost_app, "hardware", "hardware"),
    "Time and memory of every profile on three machines, computed where nobody has measured.",
    log,
)


@cost_app.command("profile")
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
