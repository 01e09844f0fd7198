"""Parquet: the long form with its types, for pandas, R, DuckDB and the like."""

from __future__ import annotations

from collections.abc import Sequence

from ..classroom.roster import Roster
from ..gradebook.result import Result
from . import long_form


def to_parquet(results: Sequence[Result], roster: Roster) -> bytes:
    """The Parquet file; times are UTC."""
    import pyarrow
    from pyarrow import parquet

    types = {"timestamp": pyarrow.timestamp("ms", tz="UTC")}
    schema = pyarrow.schema(
        [
            (name, types.get(kind) or pyarrow.type_for_alias(kind))
            for name, kind in long_form.COLUMNS.items()
        ]
    )
    table = pyarrow.Table.from_pylist([*long_form.rows(results, roster)], schema=schema)
    out = pyarrow.BufferOutputStream()
    parquet.write_table(table, out)
    data: bytes = out.getvalue().to_pybytes()
    return data
