"""Brings a store of an earlier version up to date: new columns, and what they say of old rows.

Old rows keep what they say. A mark from before is taken to be given for the answer that was the
newest when the store is first opened by this version: it counts on, until that answer changes.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from sqlalchemy import Column, Connection, Table, func, inspect, select
from sqlalchemy.schema import CreateColumn

from .. import answers
from ..result import Result
from .schema import marks, metadata, results

if TYPE_CHECKING:
    from sqlalchemy import Inspector


def lacking(inspector: Inspector, table: Table) -> list[Column]:
    """The columns that the table in the database does not have."""
    there = {column["name"] for column in inspector.get_columns(table.name)}
    return [column for column in table.columns if column.name not in there]


def add_columns(connection: Connection) -> None:
    """Add every column that is not there, within the caller's transaction."""
    inspector = inspect(connection)
    for table in metadata.tables.values():
        missing = lacking(inspector, table)
        for column in missing:
            written = CreateColumn(column).compile(dialect=connection.dialect)
            connection.exec_driver_sql(f"ALTER TABLE {table.name} ADD COLUMN {written}")
        if any(column is marks.c.answer_sha256 for column in missing):
            _bind_marks(connection)


def _bind_marks(connection: Connection) -> None:
    """Say of each mark that it was given for the answer that is the newest now."""
    ids = select(func.max(results.c.id)).group_by(results.c.student, results.c.assignment)
    rows = connection.execute(select(results).where(results.c.id.in_(ids))).all()
    newest = {(row.student, row.assignment): row.result for row in rows}
    for row in connection.execute(select(marks)).all():
        if text := newest.get((row.student, row.assignment)):
            given_for = answers.sha256_of(Result.read(text), row.item)
            this = marks.update().where(marks.c.id == row.id)
            connection.execute(this.values(answer_sha256=given_for))
