"""Shared parts of the commands of `course bench`: options, two forms of a command, output."""

import importlib
import json
import statistics
import sys
from collections.abc import Callable
from typing import Annotated, Any

import typer

from grader.cli.options import Json
from grader.cli.output import UsageProblem

Seeds = Annotated[str, typer.Option(help="one training run each")]
Labels = Annotated[str, typer.Option(help="how many sentences have one")]


def plain(app: typer.Typer, name: str, module: str, about: str) -> None:
    """Add the command NAME, without options, which calls `run(log)` of a module of `bench`."""

    @app.command(name, help=about)
    def command(json: Json = False) -> None:
        measure(module, json)


def seeded(app: typer.Typer, name: str, about: str) -> None:
    """Add the command NAME, which calls `run(seeds, log)` of a module of `bench.trainings`."""

    @app.command(name, help=about)
    def command(seeds: Seeds = "0,1,2", json: Json = False) -> None:
        measure(f"trainings.{name}", json, numbers(seeds))


def labeled(app: typer.Typer, name: str, about: str, counts: str, chosen: str) -> None:
    """The same, for `run(labels, seeds, log)`, where some sentences have labels."""

    @app.command(name, help=about)
    def command(labels: Labels = counts, seeds: Seeds = chosen, json: Json = False) -> None:
        sentences = numbers(labels, "--labels", least=2)  # one of each class
        measure(f"trainings.{name}", json, sentences, numbers(seeds))


def measure(module: str, as_json: bool, *given: Any) -> None:
    """Call `run(*given, log)` of a module of `bench`, and show what it measured."""
    bench = importlib.import_module(f"bench.{module}")
    show(bench.run(*given, log), f"results/{bench.NAME}.json", as_json)


def known(recipes: str) -> Callable[[str], str]:
    """Lets an option pass that names a profile of this module of `course_lib.recipes`."""

    def checked(name: str) -> str:
        try:
            importlib.import_module(f"course_lib.recipes.{recipes}").profile(name)
        except ValueError as error:
            raise UsageProblem(str(error)) from None
        return name

    return checked


def numbers(text: str, option: str = "--seeds", least: int = 0) -> list[int]:
    """The numbers of an option. Raises UsageProblem."""
    parts = [part.strip() for part in text.split(",")]
    if not all(part.isdecimal() and int(part) >= least for part in parts):
        raise UsageProblem(
            f"{option} {text}: give numbers from {least} on, separated by commas, such as 2,5,9"
        )
    return [int(part) for part in parts]


def log(text: str) -> None:
    print(text, file=sys.stderr)


def show(measures: dict[str, Any], files: str, as_json: bool) -> None:
    """Print what was measured, and where it is written."""
    if as_json:
        print(json.dumps(measures))
        return
    for name, measure in measures.items():
        print(f"{name:40} {statistics.median(measure['values']):9.3f}  median, {measure['unit']}")
    print(f"written to {files}")
