"""Where the copy of a results store is, and the command that goes back to it."""

from __future__ import annotations

import shlex
from pathlib import Path


def copy_of(database: Path) -> Path:
    """Where the copy of a store is: `results.db.backup` beside `results.db`."""
    return database.with_name(f"{database.name}.backup")


def way_back(database: Path) -> str:
    """The command that puts a damaged store aside and the copy in its place."""
    copy = copy_of(database)
    aside = database.with_name("damaged")
    number = 2
    while aside.exists():
        aside, number = database.with_name(f"damaged-{number}"), number + 1
    folder, old = shlex.quote(str(aside)), shlex.quote(str(database))
    # the files beside it hold its last changes, which do not fit the copy
    return (
        f"mkdir {folder} && mv {old}* {folder}/ && cp {shlex.quote(str(aside / copy.name))} {old}"
    )
