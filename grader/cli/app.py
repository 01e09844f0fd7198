"""The commands and their options; each is implemented in the module that it imports."""

from __future__ import annotations

import importlib.util
from pathlib import Path
from typing import Annotated

import typer

from ..course.course import Course
from ..course.course_file import imported
from . import EXIT_CODES
from .authoring.authoring_app import authoring_app
from .grading import grading_options as grading
from .options import Json, command
from .records.gradebook_app import gradebook_app

app = typer.Typer(
    help="Build, check, grade and report on a course.",
    epilog=EXIT_CODES,
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode="rich",
)
app.add_typer(gradebook_app)
app.add_typer(authoring_app)


@app.command()
def check(
    assignment: Annotated[str, typer.Argument(help="a1, a2, …")],
    notebook: Annotated[Path, typer.Argument(help="the saved notebook file")],
    json: Json = False,
) -> None:
    """Run the visible tests on a saved notebook, in a sandbox (students: `student check`)."""
    from . import check_command

    raise typer.Exit(check_command.run(assignment, notebook, json))


@command(app, grading.Grade)
def grade(options: grading.Grade) -> int:
    """Grade a folder of submissions against the hidden suites, in a sandbox."""
    from .grading import grade_command

    return grade_command.run(options)


@command(app, grading.Nbgrader)
def nbgrader(options: grading.Nbgrader) -> int:
    """Grade an nbgrader course as `grade` does, and fill nbgrader's own gradebook."""
    from .grading import nbgrader_command

    return nbgrader_command.run(options)


@command(app, grading.Similar)
def similar(options: grading.Similar) -> int:
    """Find submissions too similar to be independent, side by side, for the instructor alone."""
    from .grading import similar_command

    return similar_command.run(options)


def add_commands_of(course: Course) -> None:
    """Add the course's own commands (`[course.commands]`), but for packages that are not here.

    A repository of students, say, has no benchmarks. Raises CourseError.
    """
    for name, reference in course.facts.commands.items():
        if not _is_here(reference.partition(":")[0]):
            continue
        found = imported(f"[course.commands] {name}", reference)
        if isinstance(found, typer.Typer):
            app.add_typer(found, name=name)
        else:
            app.command(name)(found)


def _is_here(module: str) -> bool:
    try:
        return importlib.util.find_spec(module) is not None
    except ModuleNotFoundError:  # a package above it
        return False
