"""Options that several commands have."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

Out = Annotated[Path, typer.Option(help="the folder that `grade` wrote")]
Roster = Annotated[Path | None, typer.Option(help="CSV of the students and their terms")]
Json = Annotated[bool, typer.Option("--json", help="Print JSON.")]
StoreUrl = Annotated[
    str | None,
    typer.Option(
        envvar="COURSE_STORE",
        show_envvar=True,
        help="results in a database instead of OUT/results.db: postgresql+psycopg://…",
    ),
]
