"""The commands for what comes after grading: course totals, and grades for other systems."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from .bench_app import Json

FORMATS = "canvas, moodle, junit, parquet, csv, gradescope or github"


def add_to(app: typer.Typer) -> None:
    """Make them commands of `app`."""
    for command in (grades, export):
        app.command()(command)


def grades(
    out: Annotated[Path, typer.Option(help="the folder that `grade` wrote")] = Path("out/grades"),
    roster: Annotated[Path | None, typer.Option(help="CSV of the class: names, excused")] = None,  # noqa: UP007
    components: Annotated[  # noqa: UP007
        list[Path] | None, typer.Option(help="CSV of marks: student,component,points,max")
    ] = None,
    so_far: Annotated[
        bool, typer.Option("--so-far", help="leave out what nobody has a grade for yet")
    ] = False,
    explain: Annotated[str | None, typer.Option(help="only show how this grade came to be")] = None,  # noqa: UP007
    json: Json = False,
) -> None:
    """The course total of everybody, by the weights and rules of course.toml."""
    from . import grades_command as command

    options = command.Options(out, roster, components or [], so_far, explain, json)
    raise typer.Exit(command.run(options))


def export(
    format: Annotated[
        str, typer.Argument(help="canvas moodle junit parquet csv gradescope github")
    ],
    to: Annotated[Path, typer.Option(help="the file to write; for github a folder")],
    assignment: Annotated[str | None, typer.Argument(help="a1, a2, …; default: all")] = None,  # noqa: UP007
    out: Annotated[Path, typer.Option(help="the folder that `grade` wrote")] = Path("out/grades"),
    roster: Annotated[Path | None, typer.Option(help="CSV of the class, with names there")] = None,  # noqa: UP007
    source: Annotated[  # noqa: UP007
        Path | None, typer.Option("--from", help="what Canvas or Moodle exported, to fill in")
    ] = None,
    trust: Annotated[
        bool, typer.Option("--i-trust-these-submissions", help="gradescope: also below tier C")
    ] = False,
) -> None:
    """Grades for a learning platform or a data tool; an autograder; a workflow for CI."""
    from . import export_command as command

    options = command.Options(format, assignment, to, out, roster, source, trust)
    raise typer.Exit(command.run(options))
