"""The options of the commands that read submissions."""

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import typer

from ..options import (
    GRADES,
    Assignment,
    Json,
    Manual,
    Marker,
    OnlyAssignment,
    Out,
    Preview,
    Roster,
    StoreUrl,
    Trust,
)


@dataclass(frozen=True, kw_only=True)
class Grading:
    """How submissions are graded, wherever they come from."""

    only: Annotated[str | None, typer.Option(help="only this student")] = None
    roster: Roster = None
    received: Annotated[
        Path | None, typer.Option(help="CSV of times of receipt: student, assignment, time")
    ] = None
    take_older: Annotated[
        bool, typer.Option("--take-older", help="let a hand-in older than the graded one count")
    ] = False
    jobs: Annotated[int, typer.Option(min=1, help="submissions graded in parallel")] = 2
    final: Annotated[
        bool,
        typer.Option("--final", help="count as after the last late day: see autograder/README.md"),
    ] = False
    regrade: Annotated[bool, typer.Option("--regrade", help="ignore stored grades")] = False
    require_isolation: Annotated[
        str | None, typer.Option(help="refuse below this tier: A, B or C")
    ] = None
    trust: Trust = False
    labels_from: Annotated[
        str,
        typer.Option(
            help="source of labels for scoring models: mirror, hub, package, generated, none"
        ),
    ] = "mirror,hub"
    json: Json = False


@dataclass(frozen=True)
class Check:
    """Run the visible tests on a saved notebook, in a sandbox (students: `student check`)."""

    assignment: Assignment
    notebook: Annotated[Path, typer.Argument(help="the saved notebook file")]
    json: Json = False


@dataclass(frozen=True, kw_only=True)
class Grade(Grading):
    """Grade a folder of submissions against the hidden suites, in a sandbox."""

    submissions: Annotated[Path, typer.Argument(help="STUDENT/a1/*.ipynb, STUDENT.ipynb or .zip")]
    out: Annotated[Path, typer.Option(help="folder for results and report")] = GRADES
    assignment: OnlyAssignment = None
    exercise: Annotated[str | None, typer.Option(help="only this exercise, e.g. 1.4")] = None
    show: Annotated[bool, typer.Option("--show", help="print every failing test in full")] = False
    manual: Manual = None
    marker: Marker = None
    executor: Annotated[
        str, typer.Option(help="processes, dask (workers here), or tls://SCHEDULER:PORT")
    ] = "processes"
    preview: Preview = False
    store: StoreUrl = None


@dataclass(frozen=True, kw_only=True)
class Nbgrader(Grading):
    """Grade an nbgrader course as `grade` does, and fill nbgrader's own gradebook."""

    folder: Annotated[Path, typer.Argument(help="an nbgrader course folder, with submitted/")]
    assignment: Annotated[str, typer.Option(help="a1, a2, …")]
    out: Annotated[
        Path | None, typer.Option(help="folder for results and report; default: FOLDER/grades")
    ] = None


@dataclass(frozen=True, kw_only=True)
class Similar:
    """Find submissions too similar to be independent, side by side, for the instructor alone."""

    submissions: Annotated[Path, typer.Argument(help="the folder that `grade` is given")]
    assignment: OnlyAssignment = None
    to: Annotated[Path, typer.Option(help="the page to write")] = Path("out/similar.html")
    common: Annotated[
        int, typer.Option(min=2, help="code that more students than this share is not counted")
    ] = 10
    out: Out = GRADES
    roster: Roster = None
    store: StoreUrl = None
    json: Json = False


COMMANDS = (Check, Grade, Nbgrader, Similar)
