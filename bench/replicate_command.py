"""`course replicate`: train rows of the paper's Table 3."""

from pathlib import Path
from typing import Annotated

import typer

from grader.cli.options import Json
from grader.cli.output import UsageProblem

from .command_output import log, numbers, show


def replicate(
    row: Annotated[str, typer.Option(help="of Table 3: base, A1 … E, big; several with commas")],
    data: Annotated[
        str, typer.Option(help="a data set of pairs, or wmt14_en_de or wmt14_en_fr, whole")
    ] = "grammar_en_fr",
    scale: Annotated[int, typer.Option(min=1, help="divides widths, batch and steps")] = 1,
    steps: Annotated[int | None, typer.Option(min=1, help="in place of the row's")] = None,  # noqa: UP007
    warmup: Annotated[  # noqa: UP007
        int | None, typer.Option(min=1, help="steps; default: the paper's share of the steps")
    ] = None,
    seeds: Annotated[str, typer.Option(help="one training each")] = "0",
    accumulate: Annotated[
        int, typer.Option(min=1, help="parts of a batch, if it does not fit into memory")
    ] = 1,
    test: Annotated[bool, typer.Option("--test", help="also translate the test split")] = False,
    folder: Annotated[
        Path, typer.Option(help="for the state of an interrupted run, and the models")
    ] = Path("out/replicate"),
    name: Annotated[str | None, typer.Option(help="of the results file")] = None,  # noqa: UP007
    json: Json = False,
) -> None:
    """Train rows of the paper's Table 3, whole or scaled down; the same command resumes."""
    from course_lib.recipes.table3 import chosen_row
    from course_lib.training.fit import CheckpointError, DivergedError

    from .trainings import replication

    asked = replication.RunSettings(data, scale, steps, warmup, accumulate, test)
    target = name or f"table3_{data}_scale_{scale}"
    chosen_seeds = list(dict.fromkeys(numbers(seeds)))
    try:
        rows = [chosen_row(one) for one in dict.fromkeys(row.split(","))]
        measures = replication.run(asked, rows, chosen_seeds, folder, target, log)
    except (ValueError, CheckpointError, DivergedError) as error:
        raise UsageProblem(str(error)) from None
    show(measures, f"results/{target}.json", json)
