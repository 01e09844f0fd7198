"""`course site`: the lectures as a book and as slides."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from grader.cli.options import Json

site_app = typer.Typer(help="Build the course site: lectures, slides, quizzes.")
SITE = Path("out/site")
WEEK = "as students see it in this week: answers that are not out when it begins are stubs"


@site_app.command()
def build(
    to: Annotated[Path, typer.Option(help="folder for the site")] = SITE,
    cache: Annotated[Path, typer.Option(help="folder for what need not be made again")] = Path(
        ".course/site"
    ),
    week: Annotated[int, typer.Option(min=0, help=f"{WEEK}; 0: show all")] = 0,
    json: Json = False,
) -> None:
    """Make the book, and the decks of slides in its folder `slides`."""
    from . import site_command

    raise typer.Exit(site_command.build(to, cache, week, json))


@site_app.command()
def serve(
    folder: Annotated[Path, typer.Option(help="the built site")] = SITE,
    port: Annotated[int, typer.Option(min=0, max=65535, help="0: any free one")] = 8000,
) -> None:
    """Show the built site at an address of this machine."""
    from . import site_command

    raise typer.Exit(site_command.serve(folder, port))


@site_app.command()
def model(
    to: Annotated[Path | None, typer.Option(help="folder; default: lectures/live_model")] = None,  # noqa: UP007
    json: Json = False,
) -> None:
    """Train the small translator that runs in the page (about five minutes)."""
    from . import site_command

    raise typer.Exit(site_command.model(to, json))


@site_app.command()
def quizzes(
    parts: Annotated[list[str] | None, typer.Argument(help="part1 part2 …; default: all")] = None,
    to: Annotated[Path, typer.Option(help="folder for the files")] = Path("out/quizzes"),
    json: Json = False,
) -> None:
    """Write quizzes for nbgrader, and for paper with the answers apart."""
    from . import site_command

    raise typer.Exit(site_command.quizzes(parts or [], to, json))
