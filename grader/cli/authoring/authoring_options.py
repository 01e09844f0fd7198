"""The options of the commands that make what students get, and that prove the grader."""

import datetime
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import typer

from ..options import GRADES, Assignment, Json, OnlyAssignment, StoreUrl

Jobs = Annotated[int, typer.Option(min=1, help="processes")]


@dataclass(frozen=True)
class Build:
    """Make starters, solutions and their READMEs from the library."""

    assignments: Annotated[list[str] | None, typer.Argument(help="a1 a2 …; default: all")] = None
    check: Annotated[
        bool, typer.Option("--check", help="Write nothing; fail if a file is stale.")
    ] = False
    nbgrader: Annotated[
        Path | None, typer.Option(help="write an nbgrader course folder here, and nothing else")
    ] = None
    json: Json = False


@dataclass(frozen=True)
class Release:
    """Make what students get in a week, and prove that nothing hidden is in it."""

    to: Annotated[Path, typer.Option(help="an empty folder, or the last release")]
    week: Annotated[int | None, typer.Option(help="everything released by this week")] = None
    answers: Annotated[
        str | None, typer.Option(help="model answers of a1, a2, …, after the last late date")
    ] = None
    self_study: Annotated[
        bool, typer.Option("--self-study", help="everything, for readers without an instructor")
    ] = False
    fallback: Annotated[
        str | None, typer.Option(help="train a model of a3 or a4 for TO/fallback, beside a release")
    ] = None
    profile: Annotated[str, typer.Option(help="of the fallback model; default: the CPU's")] = ""
    seed: Annotated[int, typer.Option(help="of the fallback model", min=0)] = 0
    git_branch: Annotated[str, typer.Option(help="commit to this branch of TO instead")] = ""
    zip: Annotated[bool, typer.Option("--zip", help="also write TO.zip")] = False
    lectures: Annotated[bool, typer.Option(help="with the lectures' pages, if there are any")] = (
        True
    )
    roster: Annotated[Path | None, typer.Option(help="CSV with the students' extensions")] = None
    no_extensions: Annotated[
        bool, typer.Option("--no-extensions", help="without a roster: no student has more time")
    ] = False
    out: Annotated[Path, typer.Option(help="folder of results, with stored due dates")] = GRADES
    store: StoreUrl = None
    today: Annotated[
        datetime.datetime | None,
        typer.Option(formats=["%Y-%m-%d"], help="the day that decides which answers are out"),
    ] = None
    json: Json = False


@dataclass(frozen=True)
class Challenge:
    """Make a broken notebook for a workshop: fix it until all its checks are green."""

    assignment: Assignment
    bugs: Annotated[
        list[str] | None, typer.Option("--bug", help="a named bug, repeatable; default: drawn")
    ] = None
    number: Annotated[int, typer.Option(help="bugs to draw, each in another component")] = 3
    seed: Annotated[int, typer.Option(help="of the draw")] = 0
    to: Annotated[Path, typer.Option(help="folder for the notebook and the key")] = Path(
        "out/challenge"
    )
    json: Json = False


@dataclass(frozen=True)
class Exam:
    """Write what the exam room gets: the coding exam's notebook, its checks, and the library."""

    to: Annotated[Path, typer.Option(help="an empty folder")] = Path("out/exam")
    answers: Annotated[bool, typer.Option("--answers", help="the model answers instead")] = False
    json: Json = False


@dataclass(frozen=True)
class Prove:
    """Prove the grader: every reference, starter, variant and named bug, in both backends."""

    assignment: OnlyAssignment = None
    exercise: Annotated[str | None, typer.Option(help="only this exercise's named bugs")] = None
    only_bugs: Annotated[bool, typer.Option("--only-bugs", help="only the named bugs")] = False
    backend: Annotated[str, typer.Option(help="local, sandbox or both")] = "both"
    seeds: Annotated[
        str, typer.Option(help="seeds of other releases, for the named bugs: 0,1,2 or all (20)")
    ] = "all"
    jobs: Jobs = 2
    json: Json = False


@dataclass(frozen=True)
class Margins:
    """Measure how much of each test's tolerance a correct answer uses, on any processor."""

    assignment: OnlyAssignment = None
    quick: Annotated[bool, typer.Option("--quick", help="this machine's arithmetic, one seed")] = (
        False
    )
    jobs: Jobs = 2
    json: Json = False


COMMANDS = (Build, Release, Challenge, Exam, Prove, Margins)
