"""Options: those that several commands have, and how a class of them becomes a command."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from pathlib import Path
from typing import Annotated, Any, TypeVar, get_type_hints

import typer

T = TypeVar("T")

GRADES = Path("out/grades")
Assignment = Annotated[str, typer.Argument(metavar="ASSIGNMENT", help="a1, a2, …")]
Out = Annotated[Path, typer.Option(help="the folder that `grade` wrote")]
Roster = Annotated[Path | None, typer.Option(help="CSV of the students and their terms")]
Manual = Annotated[Path | None, typer.Option(help="CSV of manual marks and overrides")]
OnlyAssignment = Annotated[str | None, typer.Option(help="only this assignment")]
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


def command(app: typer.Typer, options: type[T]) -> Callable[[Callable[[T], int]], None]:
    """Makes a function a command whose arguments and options are the fields of a dataclass.

    What the function returns is the exit code.
    """
    types = get_type_hints(options, include_extras=True)
    fields = inspect.signature(options).parameters.values()

    def register(run: Callable[[T], int]) -> None:
        def called(**given: Any) -> None:
            raise typer.Exit(run(options(**given)))

        parameters = [field.replace(annotation=types[field.name]) for field in fields]
        called.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
        called.__annotations__ = types
        called.__doc__ = run.__doc__
        app.command(run.__name__)(called)

    return register
