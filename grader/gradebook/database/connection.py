"""Opens the database of the results store, makes its tables, and keeps a copy of an SQLite file.

SQLite is checked before hours of grading, not after them. Nothing is changed in a file that is
damaged or belongs to another program.
"""

import contextlib
import os
import re
import sqlite3
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext, suppress
from pathlib import Path
from typing import Any

import sqlalchemy
from sqlalchemy import Connection, Engine, inspect
from sqlalchemy.exc import ArgumentError

from .errors import GradebookError, copy_of, damaged, foreign, missing
from .schema import add_columns, lacking_columns, metadata


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


_PASSWORD = re.compile(r"(//[^/:@]*):.*@|(\bpassword=)[^&\s]*", re.IGNORECASE)
_LOCK = 0x677261646573  # "grades": for PostgreSQL, where a number names a lock


def shown(url_or_path: str) -> str:
    """A database's URL without its password, for messages."""
    return _PASSWORD.sub(
        lambda m: f"{m[1]}:***@" if m[1] is not None else f"{m[2]}***", url_or_path
    )


def file_of(url_or_path: str) -> Path | None:
    """The SQLite file that a path or a plain URL names; None for any other database."""
    if "://" not in url_or_path:
        return Path(url_or_path)
    path = url_or_path.partition(":///")[2]
    plain = url_or_path.startswith("sqlite:///") and path and not path.startswith("file:")
    return Path(path.partition("?")[0]) if plain and path != ":memory:" else None


def opened(url_or_path: str, wait_seconds: float) -> Engine:
    """An engine for a database that holds the store's tables.

    Raises GradebookError, or what SQLAlchemy or the driver raises.
    """
    path = file_of(url_or_path)
    waiting: AbstractContextManager[None] = nullcontext()
    if path is not None:
        path.parent.mkdir(parents=True, exist_ok=True)
        waiting = locked(path.parent)  # another grader may be making the tables
    with waiting:
        if path is not None and path.exists() and not path.stat().st_size:
            raise GradebookError(damaged(path, "the file has 0 bytes"))
        if path is not None and not path.exists() and copy_of(path).exists():
            raise GradebookError(missing(path))
        engine = _engine(url_or_path, wait_seconds)
        try:
            _check_and_make_tables(engine, shown(url_or_path), path)
        except BaseException:
            engine.dispose()
            raise
    return engine


@contextmanager
def alone(engine: Engine) -> Iterator[Connection]:
    """A transaction in which nobody else writes; committed in full or not at all."""
    with engine.begin() as connection:
        if engine.dialect.name == "sqlite":
            connection.exec_driver_sql("BEGIN IMMEDIATE")
        elif engine.dialect.name == "postgresql":
            connection.exec_driver_sql(f"SELECT pg_advisory_xact_lock({_LOCK})")
        yield connection


def _engine(url_or_path: str, wait_seconds: float) -> Engine:
    if "://" not in url_or_path:
        url = sqlalchemy.URL.create("sqlite", database=url_or_path)
    else:
        try:
            url = sqlalchemy.make_url(url_or_path)
        except (ArgumentError, ValueError):  # its text may hold the password
            raise GradebookError(
                f"{shown(url_or_path)} is not the URL of a database: give a file, or one like "
                "postgresql+psycopg://USER@HOST/DATABASE"
            ) from None
    if "@" in (url.host or ""):  # a driver's message would print it
        raise GradebookError(f"{shown(url_or_path)}: write each @ of the password as %40")
    if url.get_backend_name() != "sqlite":
        return sqlalchemy.create_engine(url, pool_pre_ping=True)
    engine = sqlalchemy.create_engine(url, connect_args={"timeout": wait_seconds})

    @sqlalchemy.event.listens_for(engine, "connect")
    def _write_ahead(connection: Any, _record: Any) -> None:
        connection.execute("PRAGMA journal_mode=WAL")

    return engine


def _check_and_make_tables(engine: Engine, where: str, path: Path | None) -> None:
    if engine.dialect.name == "sqlite":
        with engine.begin() as connection:
            found = connection.exec_driver_sql("PRAGMA quick_check(1)").scalar()
        if found != "ok":
            raise GradebookError(damaged(path or where, str(found).splitlines()[-1]))
    inspector = inspect(engine)
    there = inspector.get_table_names()
    ours = [table for name, table in metadata.tables.items() if name in there]
    if path is not None and there and not ours:
        raise GradebookError(foreign(where, there))
    older = False
    for table in ours:
        lacking = lacking_columns(inspector, table)
        if any(not column.nullable for column in lacking):
            raise GradebookError(foreign(where, [table.name]))
        older = older or bool(lacking)
    if older or len(ours) < len(metadata.tables):
        with alone(engine) as connection:
            metadata.create_all(connection)
            add_columns(connection)
