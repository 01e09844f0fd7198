"""The options of the commands for stored grades."""

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
    Out,
    Preview,
    Roster,
    StoreUrl,
    Trust,
)

Student = Annotated[str, typer.Argument(help="the student, as in grades.csv")]
Optional = Annotated[str | None, typer.Argument(help="a1, a2, …; default: all")]
FORMATS = ("canvas", "moodle", "junit", "csv", "gradescope", "github")


@dataclass(frozen=True)
class History:
    """List every grading and manual mark of one student: when, how much, and by which tests."""

    student: Student
    assignment: Assignment
    out: Out = GRADES
    store: StoreUrl = None
    json: Json = False


@dataclass(frozen=True)
class Why:
    """Account for one grade: how the total is added up, and what each test gave or took."""

    student: Student
    assignment: Assignment
    exercise: Annotated[str | None, typer.Option(help="only this exercise, e.g. 2.3")] = None
    out: Out = GRADES
    store: StoreUrl = None
    json: Json = False


@dataclass(frozen=True)
class Report:
    """Write the report, CSV and JSON again, for example with new manual marks or terms."""

    out: Annotated[Path, typer.Argument(help="the folder that `grade` wrote")] = GRADES
    manual: Manual = None
    marker: Marker = None
    roster: Roster = None
    preview: Preview = False
    store: StoreUrl = None
    json: Json = False


@dataclass(frozen=True)
class Mark:
    """Mark written answers in a browser on this machine: one question over all students."""

    out: Annotated[Path, typer.Argument(help="the folder that `grade` wrote")] = GRADES
    marker: Annotated[
        str | None, typer.Option(help="your name, stored with each mark; default: your login")
    ] = None
    others: Annotated[
        list[str] | None, typer.Option("--with", help="another marker: the work is shared out")
    ] = None
    by_question: Annotated[
        bool, typer.Option("--by-question", help="share out questions instead of students")
    ] = False
    anonymous: Annotated[bool, typer.Option("--anonymous", help="show no student's name")] = False
    host: Annotated[str, typer.Option(help="serve another address of this machine")] = "127.0.0.1"
    port: Annotated[int, typer.Option(min=0, max=65535, help="0: a free one")] = 0
    no_browser: Annotated[bool, typer.Option("--no-browser", help="only print the address")] = False
    store: StoreUrl = None


@dataclass(frozen=True)
class Grades:
    """The course total of everybody, by the weights and rules of course.toml."""

    out: Out = GRADES
    roster: Roster = None
    components: Annotated[
        list[Path] | None, typer.Option(help="CSV of marks: student,component,points,max")
    ] = None
    so_far: Annotated[
        bool, typer.Option("--so-far", help="leave out items without any grades yet")
    ] = False
    explain: Annotated[str | None, typer.Option(help="only explain this student's grade")] = None
    store: StoreUrl = None
    json: Json = False


@dataclass(frozen=True)
class Export:
    """Grades for a learning platform or a data tool; an autograder; a workflow for CI."""

    format: Annotated[str, typer.Argument(help=" ".join(FORMATS))]
    to: Annotated[Path, typer.Option(help="the file to write; for github a folder")]
    assignment: Optional = None
    out: Out = GRADES
    roster: Roster = None
    source: Annotated[
        Path | None,
        typer.Option("--from", help="the file that Canvas or Moodle exported, to fill in"),
    ] = None
    trust: Trust = False
    store: StoreUrl = None


@dataclass(frozen=True)
class Feedback:
    """Write a page for each student to give back: STUDENT/a2.html."""

    assignment: Optional = None
    out: Out = GRADES
    to: Annotated[Path, typer.Option(help="folder for the pages")] = Path("out/feedback")
    roster: Roster = None
    zips: Annotated[
        list[str] | None, typer.Option("--zip", help="also pack them for moodle or canvas")
    ] = None
    store: StoreUrl = None
    json: Json = False


@dataclass(frozen=True)
class RegradeRequests:
    """Collect the regrade requests that students made with the form on their feedback page."""

    folder: Annotated[Path, typer.Argument(help="STUDENT/regrade-….txt, or a platform's download")]
    out: Out = GRADES
    roster: Roster = None
    store: StoreUrl = None
    json: Json = False


COMMANDS = (History, Why, Report, Mark, Grades, Export, Feedback, RegradeRequests)
