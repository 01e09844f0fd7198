"""The commands for stored grades: accounts of them, reports, totals, exports, feedback."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from ..options import Json, Out, Roster, StoreUrl

gradebook_app = typer.Typer()

Student = Annotated[str, typer.Argument(help="the student, as in grades.csv")]
OfAssignment = Annotated[str, typer.Argument(metavar="ASSIGNMENT", help="a1, a2, …")]


@gradebook_app.command()
def history(
    student: Student,
    assignment: OfAssignment,
    out: Out = Path("out/grades"),
    store: StoreUrl = None,
    json: Json = False,
) -> None:
    """List every grading and manual mark of one student: when, how much, and by which tests."""
    from . import history_command

    raise typer.Exit(history_command.run(student, assignment, out, store, json))


@gradebook_app.command()
def why(
    student: Student,
    assignment: OfAssignment,
    exercise: Annotated[str | None, typer.Option(help="only this exercise, e.g. 2.3")] = None,
    out: Out = Path("out/grades"),
    store: StoreUrl = None,
    json: Json = False,
) -> None:
    """Account for one grade: how the total is added up, and what each test gave or took."""
    from . import why_command

    raise typer.Exit(why_command.run(student, assignment, exercise, out, store, json))


@gradebook_app.command()
def report(
    out: Annotated[Path, typer.Argument(help="the folder that `grade` wrote")] = Path("out/grades"),
    manual: Annotated[Path | None, typer.Option(help="CSV of manual marks and overrides")] = None,  # noqa: UP007
    roster: Roster = None,
    store: StoreUrl = None,
    json: Json = False,
) -> None:
    """Write the report, CSV and JSON again, for example with new manual marks or terms."""
    from . import report_command

    raise typer.Exit(report_command.run(out, manual, roster, store, json))


@gradebook_app.command()
def grades(
    out: Out = Path("out/grades"),
    roster: Annotated[Path | None, typer.Option(help="CSV of the class: names, excused")] = None,  # noqa: UP007
    components: Annotated[  # noqa: UP007
        list[Path] | None, typer.Option(help="CSV of marks: student,component,points,max")
    ] = None,
    so_far: Annotated[
        bool, typer.Option("--so-far", help="leave out what nobody has a grade for yet")
    ] = False,
    explain: Annotated[str | None, typer.Option(help="only show how this grade came to be")] = None,  # noqa: UP007
    store: StoreUrl = None,
    json: Json = False,
) -> None:
    """The course total of everybody, by the weights and rules of course.toml."""
    from . import grades_command as command

    options = command.Options(out, roster, components or [], so_far, explain, store, json)
    raise typer.Exit(command.run(options))


@gradebook_app.command()
def export(
    format: Annotated[
        str, typer.Argument(help="canvas moodle junit parquet csv gradescope github")
    ],
    to: Annotated[Path, typer.Option(help="the file to write; for github a folder")],
    assignment: Annotated[str | None, typer.Argument(help="a1, a2, …; default: all")] = None,  # noqa: UP007
    out: Out = Path("out/grades"),
    roster: Annotated[Path | None, typer.Option(help="CSV of the class, with names there")] = None,  # noqa: UP007
    source: Annotated[  # noqa: UP007
        Path | None, typer.Option("--from", help="what Canvas or Moodle exported, to fill in")
    ] = None,
    trust: Annotated[
        bool, typer.Option("--i-trust-these-submissions", help="gradescope: also below tier C")
    ] = False,
    store: StoreUrl = None,
) -> None:
    """Grades for a learning platform or a data tool; an autograder; a workflow for CI."""
    from . import export_command as command

    options = command.Options(format, assignment, to, out, roster, source, trust, store)
    raise typer.Exit(command.run(options))


@gradebook_app.command()
def feedback(
    assignment: Annotated[str | None, typer.Argument(help="a1, a2, …; default: all")] = None,  # noqa: UP007
    out: Out = Path("out/grades"),
    to: Annotated[Path, typer.Option(help="folder for the pages")] = Path("out/feedback"),
    roster: Annotated[Path | None, typer.Option(help="CSV of the students and their names")] = None,  # noqa: UP007
    zips: Annotated[  # noqa: UP007
        list[str] | None, typer.Option("--zip", help="also pack them for moodle or canvas")
    ] = None,
    store: StoreUrl = None,
    json: Json = False,
) -> None:
    """Write a page for each student to give back: STUDENT/a2.html."""
    from . import feedback_command

    options = feedback_command.Options(assignment, out, to, roster, store, tuple(zips or ()), json)
    raise typer.Exit(feedback_command.run(options))
