"""`course study`: run a hyperparameter study, look at it, and report what it found."""

import sys
from pathlib import Path
from typing import Annotated

import typer

study_app = typer.Typer(
    help="A hyperparameter study in a database: run it, resume it, report it.", no_args_is_help=True
)

Storage = Annotated[str, typer.Option(help="the database, as a URL")]
Name = Annotated[str, typer.Option(help="the study's name")]
ProfileName = Annotated[str, typer.Option(help="tiny, cpu, colab or language")]
Device = Annotated[str, typer.Option(help="cpu, cuda or cuda:N")]
Grace = Annotated[int, typer.Option(min=1, help="seconds of silence: a worker counts as dead")]
Json = Annotated[bool, typer.Option("--json", help="Print JSON.")]
SQLITE = "sqlite:///study.db"


@study_app.command()
def run(
    profile: ProfileName = "tiny",
    storage: Storage = SQLITE,
    name: Annotated[str, typer.Option(help="the study's name; the profile's if none")] = "",
    workers: Annotated[
        int, typer.Option(min=0, help="processes on this machine; 0: only queue")
    ] = 1,
    device: Device = "cpu",
    pruner: Annotated[str, typer.Option(help="none, asha or hyperband")] = "none",
    grace: Grace = 15,
    json: Json = False,
) -> None:
    """Run every trial that is not finished yet; the same command resumes after an interruption."""
    from . import commands

    where = commands.Where(storage, name or profile)
    how = commands.How(device, grace)
    raise typer.Exit(commands.run(where, profile, workers, how, pruner, json))


@study_app.command()
def work(
    storage: Storage = SQLITE,
    name: Name = "tiny",
    device: Device = "cpu",
    grace: Grace = 15,
) -> None:
    """Run queued trials in this process until none is left: for a second machine or a cluster."""
    from . import commands

    how = commands.How(device, grace)
    raise typer.Exit(commands.work(commands.Where(storage, name), how))


@study_app.command()
def rows(
    storage: Storage = SQLITE,
    name: Name = "tiny",
    out: Annotated[Path, typer.Option(help="the CSV file")] = Path("results.csv"),
) -> None:
    """Write one row per trial, as CSV."""
    from . import commands

    raise typer.Exit(commands.rows(commands.Where(storage, name), out))


@study_app.command()
def report(
    storage: Storage = SQLITE,
    name: Name = "tiny",
    out: Annotated[Path, typer.Option(help="folder for report.html and report.md")] = Path(
        "out/study"
    ),
    json: Json = False,
) -> None:
    """Write what the study found: what to take, how sure that is, and what was not tried."""
    from . import commands

    where = commands.Where(storage, name)
    raise typer.Exit(commands.report(where, out, json))


@study_app.command()
def confirm(
    storage: Storage = SQLITE,
    name: Name = "tiny",
    seeds: Annotated[str, typer.Option(help="fresh ones, one training each")] = "100,101,102",
    device: Device = "cpu",
    json: Json = False,
) -> None:
    """Train what the study recommends with fresh seeds and measure it on the test split, once."""
    from . import commands

    where = commands.Where(storage, name)
    raise typer.Exit(commands.confirm(where, seeds, device, json))


def main() -> None:
    """The same commands as a program of their own: a worker process needs no other."""
    try:
        study_app()
    except Exception as error:
        if not hasattr(error, "exit_code"):
            raise
        print(error, file=sys.stderr)
        sys.exit(error.exit_code)


if __name__ == "__main__":
    main()
