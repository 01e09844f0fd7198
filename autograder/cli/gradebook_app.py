"""`course history` and `course why`: questions about a grade that is stored."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from .bench_app import Json

gradebook_app = typer.Typer()

Out = Annotated[Path, typer.Option(help="the folder that `grade` wrote")]
StoreUrl = Annotated[
    str | None,
    typer.Option(
        envvar="COURSE_STORE",
        show_envvar=True,
        help="results in a database instead of OUT/results.db: postgresql+psycopg://…",
    ),
]
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
