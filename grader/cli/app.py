"""The commands: the grader's own, and those that a course adds."""

import typer

from ..course.course import Course
from ..course.course_file import imported, is_here
from . import EXIT_CODES
from .authoring import authoring_options
from .grading import grading_options
from .options import add_commands
from .records import gradebook_options

app = typer.Typer(
    help="Build, check, grade and report on a course.",
    epilog=EXIT_CODES,
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode="rich",
)
for group in (grading_options, gradebook_options, authoring_options):
    add_commands(app, group.COMMANDS, group.__package__ or "")


def add_commands_of(course: Course) -> None:
    """Add the course's own commands (`[course.commands]`), once, but for packages not here.

    A repository of students, say, has no benchmarks. Raises CourseError.
    """
    commands, groups = app.registered_commands, app.registered_groups
    known = {command.name for command in commands} | {group.name for group in groups}
    for name, reference in course.facts.commands.items():
        if name in known or not is_here(reference.partition(":")[0]):
            continue
        found = imported(f"[course.commands] {name}", reference)
        if isinstance(found, typer.Typer):
            app.add_typer(found, name=name)
        else:
            app.command(name)(found)
