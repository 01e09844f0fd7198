"""`course site`: the lectures as a book and as slides."""

import json as json_format
from pathlib import Path
from typing import Annotated

import typer

from grader.cli.options import Json
from grader.cli.output import UsageProblem
from grader.course.course import Course

from . import release_pages

site_app = typer.Typer(help="Build the course site: lectures, slides, quizzes.")
SITE, DEMO = Path("out/site"), Path("out/demo/report")
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
    release_pages.check_packages()
    from . import site_build

    pages = site_build.build(to, cache, week, (lambda _: None) if json else print)
    text = f"{pages} pages in {to}; look at them: course site serve"
    print(json_format.dumps({"pages": pages, "folder": str(to)}) if json else text)


@site_app.command()
def serve(
    folder: Annotated[Path, typer.Option(help="the built site")] = SITE,
    port: Annotated[int, typer.Option(min=0, max=65535, help="0: any free one")] = 8000,
) -> None:
    """Show the built site at an address of this machine."""
    from . import serving

    if not (folder / "index.html").is_file():
        raise UsageProblem(f"{folder} holds no site: run `course site build` first")
    try:
        server = serving.server(folder, port)
    except OSError as error:
        raise UsageProblem(
            f"port {port} cannot be used ({error.strerror}): choose another with --port"
        ) from None
    with server:
        print(f"http://127.0.0.1:{server.server_address[1]}/ (Ctrl-C ends it)", flush=True)
        server.serve_forever()


@site_app.command()
def pdf(
    folder: Annotated[Path, typer.Option(help="the built site")] = SITE,
    parts: Annotated[list[str] | None, typer.Argument(help="part1 part2 …; default: all")] = None,
    to: Annotated[Path, typer.Option(help="folder for the files")] = Path("out/slides"),
    json: Json = False,
) -> None:
    """Print decks of the built site to PDF, with the Chromium or Chrome of this machine."""
    from .decks import printing

    decks = printing.decks(folder, parts or [])
    files = [str(printing.pdf(deck, to)) for deck in decks]
    text = f"{len(files)} decks in {to}"
    print(json_format.dumps({"files": files}) if json else text)


@site_app.command()
def model(
    to: Annotated[Path | None, typer.Option(help="folder; default: lectures/live_model")] = None,  # noqa: UP007
    json: Json = False,
) -> None:
    """Train the small models that run in the page (about ten minutes of one core)."""
    from .live import live_model

    folder = to or live_model.FOLDER
    measured = live_model.train(folder, (lambda _: None) if json else print)
    text = (
        f"{folder}: {100 * measured['exact_match']:.0f} % of its sentences are right; "
        "measure what the page says of it: course site claims"
    )
    print(json_format.dumps({"folder": str(folder), **measured}) if json else text)


@site_app.command()
def claims(json: Json = False) -> None:
    """Measure what the live page says of its switches and heads (a few minutes)."""
    from .live import claims as live_claims

    found = live_claims.write(log=(lambda _: None) if json else print)
    print(json_format.dumps(found) if json else f"written: {live_claims.FILE}")


@site_app.command()
def pictures(
    site: Annotated[Path, typer.Option(help="the built site")] = SITE,
    report: Annotated[Path, typer.Option(help="the pages of `make demo`")] = Path(
        "out/demo/report"
    ),
    json: Json = False,
) -> None:
    """Take README's pictures, with the Chromium or Chrome of this machine."""
    from . import front_pictures as front

    paths = front.take(Course.here(), site, report, (lambda _: None) if json else print)
    text = f"{len(paths)} pictures in {paths[0].parent}"
    print(json_format.dumps({"files": [str(path) for path in paths]}) if json else text)


@site_app.command()
def quizzes(
    parts: Annotated[list[str] | None, typer.Argument(help="part1 part2 …; default: all")] = None,
    to: Annotated[Path, typer.Option(help="folder for the files")] = Path("out/quizzes"),
    json: Json = False,
) -> None:
    """Write quizzes for nbgrader, and for paper with the answers apart."""
    from .quizzes import forms, quiz

    asked = [quiz.load(name) for name in parts or quiz.names()]
    files = [str(path) for one in asked for path in forms.write(one, to)]
    text = f"{len(asked)} quizzes, {len(files)} files in {to}; keep {to / 'answers'} to yourself"
    print(json_format.dumps({"files": files}) if json else text)
