"""A copy of an SQLite results store, from which a damaged one is restored."""

from __future__ import annotations

import contextlib
import sqlite3
from pathlib import Path

from .errors import GradebookError, copy_of
from .lock import locked


def back_up(database: Path) -> Path:
    """Replace the copy by one of the store as it is now, whether or not it is in use.

    A whole copy, the old one or the new, is there at any time. Raises GradebookError if there is
    no room, or if the store turns out to be damaged.
    """
    copy = copy_of(database)
    fresh = copy.with_name(f"{copy.name}.new")
    try:
        with locked(database.parent):
            fresh.unlink(missing_ok=True)
            with contextlib.closing(sqlite3.connect(fresh)) as new:
                with contextlib.closing(sqlite3.connect(database)) as old:
                    old.backup(new)
                new.execute("PRAGMA journal_mode=DELETE")  # one file, complete in itself
                found = new.execute("PRAGMA quick_check(1)").fetchone()[0]
            if found != "ok":
                raise sqlite3.DatabaseError(found)
            fresh.replace(copy)
    except (sqlite3.Error, OSError) as error:
        fresh.unlink(missing_ok=True)
        why = str(error).splitlines()[-1]
        raise GradebookError(
            f"{copy}: no new backup could be written ({why}); the results themselves are stored"
        ) from None
    return copy
