"""The timetable: how long each part takes in class, and what students do in it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.util.docutils import SphinxDirective

from .weeks import lectures
from .weeks.lectures import Row


class TimetableDirective(SphinxDirective):
    """`{timetable}`: how long each part takes, and what students do in it."""

    def run(self) -> list[nodes.Node]:
        try:
            rows = lectures.parts(Path(self.env.srcdir))
        except ValueError as error:
            raise self.error(str(error)) from None
        self.env.note_reread()
        return [table(list(_cells(rows)), (1, 4, 5))]


def _cells(rows: list[Row]) -> Iterator[tuple[str, ...]]:
    yield "Minutes", "Part", "What students do in it (minutes)"
    for row in rows:
        yield str(row.minutes), row.title, "; ".join(row.activities) or "–"
    yield str(sum(row.minutes for row in rows)), "All", "–"


def table(cells: list[tuple[str, ...]], widths: tuple[int, ...]) -> nodes.table:
    """A table whose first row is its head."""
    rows = [
        nodes.row("", *(nodes.entry("", nodes.paragraph("", text)) for text in texts))
        for texts in cells
    ]
    columns = [nodes.colspec(colwidth=width) for width in widths]
    body = nodes.tbody("", *rows[1:])
    group = nodes.tgroup("", *columns, nodes.thead("", rows[0]), body, cols=len(columns))
    return nodes.table("", group)


def setup(app: Sphinx) -> None:
    """Register the directive."""
    app.add_directive("timetable", TimetableDirective)
