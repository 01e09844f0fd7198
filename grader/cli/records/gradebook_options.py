"""The options of the commands for stored grades."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import typer

from ..options import GRADES, Assignment, Json, Manual, Out, Roster, StoreUrl, Trust

Student = Annotated[str, typer.Argument(help="the student, as in grades.csv")]
Optional = Annotated[str | None, typer.Argument(help="a1, a2, …; default: all")]
FORMATS = ("canvas", "moodle", "junit", "csv", "gradescope", "github")


@dataclass(frozen=True)
class History:
    """`course history`."""

    student: Student
    assignment: Assignment
    out: Out = GRADES
    store: StoreUrl = None
    json: Json = False


@dataclass(frozen=True)
class Why:
    """`course why`."""

    student: Student
    assignment: Assignment
    exercise: Annotated[str | None, typer.Option(help="only this exercise, e.g. 2.3")] = None
    out: Out = GRADES
    store: StoreUrl = None
    json: Json = False


@dataclass(frozen=True)
class Report:
    """`course report`."""

    out: Annotated[Path, typer.Argument(help="the folder that `grade` wrote")] = GRADES
    manual: Manual = None
    roster: Roster = None
    store: StoreUrl = None
    json: Json = False


@dataclass(frozen=True)
class Grades:
    """`course grades`."""

    out: Out = GRADES
    roster: Roster = None
    components: Annotated[
        list[Path] | None, typer.Option(help="CSV of marks: student,component,points,max")
    ] = None
    so_far: Annotated[
        bool, typer.Option("--so-far", help="leave out what nobody has a grade for yet")
    ] = False
    explain: Annotated[str | None, typer.Option(help="only show how this grade came to be")] = None
    store: StoreUrl = None
    json: Json = False


@dataclass(frozen=True)
class Export:
    """`course export`."""

    format: Annotated[str, typer.Argument(help=" ".join(FORMATS))]
    to: Annotated[Path, typer.Option(help="the file to write; for github a folder")]
    assignment: Optional = None
    out: Out = GRADES
    roster: Roster = None
    source: Annotated[
        Path | None, typer.Option("--from", help="what Canvas or Moodle exported, to fill in")
    ] = None
    trust: Trust = False
    store: StoreUrl = None


@dataclass(frozen=True)
class Feedback:
    """`course feedback`."""

    assignment: Optional = None
    out: Out = GRADES
    to: Annotated[Path, typer.Option(help="folder for the pages")] = Path("out/feedback")
    roster: Roster = None
    zips: Annotated[
        list[str] | None, typer.Option("--zip", help="also pack them for moodle or canvas")
    ] = None
    store: StoreUrl = None
    json: Json = False
