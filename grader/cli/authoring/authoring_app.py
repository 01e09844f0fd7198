"""Commands that make what students get."""

from __future__ import annotations

import datetime
from pathlib import Path
from typing import Annotated

import typer

from ..options import Json, StoreUrl

authoring_app = typer.Typer()


@authoring_app.command()
def build(
    assignments: Annotated[list[str] | None, typer.Argument(help="a1 a2 …; default: all")] = None,
    check: Annotated[
        bool, typer.Option("--check", help="Write nothing; fail if a file is stale.")
    ] = False,
    nbgrader: Annotated[
        Path | None, typer.Option(help="write an nbgrader course folder here, and nothing else")
    ] = None,
    json: Json = False,
) -> None:
    """Make starters, solutions and their READMEs from course_lib."""
    from . import build_command

    raise typer.Exit(build_command.run(assignments or [], check, json, nbgrader))


@authoring_app.command()
def release(
    to: Annotated[Path, typer.Option(help="an empty folder, or the last release")],
    week: Annotated[int | None, typer.Option(help="all that is out by this week")] = None,
    answers: Annotated[
        str | None, typer.Option(help="model answers of a1, a2, …, after the last late date")
    ] = None,
    self_study: Annotated[
        bool, typer.Option("--self-study", help="everything, for readers without an instructor")
    ] = False,
    fallback: Annotated[
        str | None, typer.Option(help="train a model of a3 or a4 for TO/fallback, beside a release")
    ] = None,
    profile: Annotated[str, typer.Option(help="of the fallback model; default: the CPU's")] = "",
    seed: Annotated[int, typer.Option(help="of the fallback model", min=0)] = 0,
    git_branch: Annotated[str, typer.Option(help="commit to this branch of TO instead")] = "",
    zip: Annotated[bool, typer.Option("--zip", help="also write TO.zip")] = False,
    roster: Annotated[Path | None, typer.Option(help="CSV with the students' extensions")] = None,
    no_extensions: Annotated[
        bool, typer.Option("--no-extensions", help="without a roster: nobody has more time")
    ] = False,
    out: Annotated[Path, typer.Option(help="folder of results, with stored terms")] = Path(
        "out/grades"
    ),
    store: StoreUrl = None,
    today: Annotated[
        datetime.datetime | None,
        typer.Option(formats=["%Y-%m-%d"], help="the day that decides which answers are out"),
    ] = None,
    json: Json = False,
) -> None:
    """Make what students get in a week, and prove that nothing hidden is in it."""
    from . import release_command

    options = release_command.Options(
        to=to,
        week=week,
        answers=answers,
        self_study=self_study,
        fallback=fallback,
        profile=profile,
        seed=seed,
        git_branch=git_branch,
        zip=zip,
        roster=roster,
        no_extensions=no_extensions,
        out=out,
        store=store,
        today=today.date() if today else None,
        json=json,
    )
    raise typer.Exit(release_command.run(options))


@authoring_app.command()
def challenge(
    assignment: Annotated[str, typer.Argument(help="a1, a2, …")],
    bugs: Annotated[
        list[str] | None, typer.Option("--bug", help="a named bug, repeatable; default: drawn")
    ] = None,
    number: Annotated[int, typer.Option(help="bugs to draw, each in another component")] = 3,
    seed: Annotated[int, typer.Option(help="of the draw")] = 0,
    to: Annotated[Path, typer.Option(help="folder for the notebook and the key")] = Path(
        "out/challenge"
    ),
    json: Json = False,
) -> None:
    """Make a broken notebook for a workshop: fix it until all its checks are green."""
    from . import challenge_command

    raise typer.Exit(challenge_command.run(assignment, bugs or [], number, seed, to, json))


@authoring_app.command()
def exam(
    to: Annotated[Path, typer.Option(help="an empty folder")] = Path("out/exam"),
    answers: Annotated[bool, typer.Option("--answers", help="the model answers instead")] = False,
    json: Json = False,
) -> None:
    """Write what the exam room gets: the coding exam's notebook, its checks, and the library."""
    from . import exam_command

    raise typer.Exit(exam_command.run(to, answers, json))
