"""Options: those that several commands have, and how a class of options becomes a command."""

import inspect
import re
from collections.abc import Callable, Iterable
from importlib import import_module
from pathlib import Path
from typing import Annotated, Any, get_type_hints

import typer

GRADES = Path("out/grades")
Assignment = Annotated[str, typer.Argument(metavar="ASSIGNMENT", help="a1, a2, …")]
Out = Annotated[Path, typer.Option(help="the folder that `grade` wrote")]
Roster = Annotated[Path | None, typer.Option(help="CSV with the students and their due dates")]
Manual = Annotated[Path | None, typer.Option(help="CSV of manual marks and overrides")]
Marker = Annotated[str | None, typer.Option(help="author of the marks; default: your login")]
OnlyAssignment = Annotated[str | None, typer.Option(help="only this assignment")]
Preview = Annotated[
    bool, typer.Option("--preview", help="store nothing; print whose grade would change, and why")
]
Trust = Annotated[bool, typer.Option("--i-trust-these-submissions", help="grade even below tier C")]
Json = Annotated[bool, typer.Option("--json", help="Print JSON.")]
StoreUrl = Annotated[
    str | None,
    typer.Option(
        envvar="COURSE_STORE",
        show_envvar=True,
        help="results in a database instead of OUT/results.db: postgresql+psycopg://…",
    ),
]


def add_commands(app: typer.Typer, commands: Iterable[type], package: str) -> None:
    """Add a command for each class of options: `Grade` is `course grade`, in `grade_command`.

    Of several words: `RegradeRequests` is `course regrade-requests`.

    Its arguments and options are the fields, its help is the docstring. The module is imported from
    `package` when the command is called; what its `run` returns is the exit code.
    """
    for options in commands:
        app.command(_name(options))(_called(options, package))


def _name(options: type) -> str:
    return re.sub(r"(?<=[a-z])(?=[A-Z])", "-", options.__name__).lower()


def _called(options: type, package: str) -> Callable[..., None]:
    types = get_type_hints(options, include_extras=True)
    fields = inspect.signature(options).parameters.values()

    def called(**given: Any) -> None:
        module = import_module(f"{package}.{_name(options).replace('-', '_')}_command")
        raise typer.Exit(module.run(options(**given)))

    parameters = [field.replace(annotation=types[field.name]) for field in fields]
    called.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
    called.__annotations__ = types
    called.__doc__ = options.__doc__
    return called
