"""A copy of an SQLite results store, to restore a damaged one from; and a lock on its folder."""

import contextlib
import os
import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from .errors import GradebookError, copy_of


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


@contextmanager
def locked(folder: Path) -> Iterator[None]:
    """Wait until no other process is in such a block for `folder`. Leaves no file behind.

    The system releases the lock however the process ends. Where folders cannot be locked (Windows,
    some network disks), nothing waits. Blocks for the same folder cannot be nested.
    """
    try:
        import fcntl
    except ImportError:
        yield
        return
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        with suppress(OSError):
            fcntl.flock(descriptor, fcntl.LOCK_EX)
        yield
    finally:
        os.close(descriptor)
