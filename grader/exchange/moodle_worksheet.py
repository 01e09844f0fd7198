"""The columns of Moodle's grading worksheet, found by their order and contents.

Moodle writes the header in the language of whoever exports it, and its importer wants the same
header back. The order is the same in all languages: a number for each participant, the name and
what else identifies people, status, grade, maximum grade, whether the grade can be changed, dates,
and after the last date the feedback.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass

from ..classroom.csv_file import CsvError
from . import decimals
from .matching import TableRow
from .patched_csv import PatchedCsv

_PARTICIPANT = re.compile(r"\D+[0-9]+")
_DATE = re.compile(r"-|.*\d{4}.*|.*\d{1,2}[:.]\d{2}.*")
_NO = frozenset(  # the answer to "Grade can be changed" if it cannot, in Moodle's languages
    "no nein non não nee nej nei ei nie ne nem nu ez nē không tidak ні нет не όχι hayır yox "
    "لا كلا לא خیر いいえ 否 不 아니오 아니요 नहीं না ไม่ ไม่ใช่ არა ոչ".split()
)


@dataclass(frozen=True)
class Worksheet:
    """A grading worksheet and where its columns are."""

    table: PatchedCsv
    identifier: int
    grade: int
    maximum: int
    feedback: int | None  # None unless Moodle asks for feedback comments

    @classmethod
    def of(cls, table: PatchedCsv) -> Worksheet:
        """Raises CsvError if the table is no grading worksheet, or one without points."""
        identifiers = _columns(table, lambda text: bool(_PARTICIPANT.fullmatch(text)))
        if not identifiers or len(table.rows[0]) < 4:
            raise CsvError([
                f"{table.path}: no column of participants (such as Participant 4711); "
                "give the grading worksheet as Moodle exported it"
            ])  # fmt: skip
        maxima = _columns(table, lambda text: bool(decimals.read(text)))
        grades = _columns(table, lambda text: not text or decimals.read(text) is not None)
        pairs = [column for column in maxima if column - 1 in grades]
        if not pairs:
            raise CsvError([
                f"{table.path}: no column of the maximum grade; in Moodle set the assignment's "
                "grade to points, then download the grading worksheet again"
            ])  # fmt: skip
        dates = _columns(table, lambda text: bool(_DATE.fullmatch(text)))
        feedback = max((column for column in dates if column > pairs[-1]), default=-2) + 1
        there = 0 < feedback < len(table.columns)
        return cls(table, identifiers[0], pairs[-1] - 1, pairs[-1], feedback if there else None)

    @property
    def people(self) -> list[TableRow]:
        """The row of each participant.

        Between the number and the grade are the name and, unless marking is anonymous, what
        identifies people; texts that several rows share, such as the status, identify nobody.
        """
        between = range(self.identifier + 1, self.grade)
        columns = [[self.value(row, column) for row in self._rows] for column in between]
        telling = [len({*filter(None, cells)}) == len([*filter(None, cells)]) for cells in columns]
        found = []
        for place, row in enumerate(self._rows):
            others = tuple(
                cells[place] for cells, own in zip(columns[1:], telling[1:], strict=True) if own
            )
            name = columns[0][place] if len(columns) > 1 else ""
            label = self.value(row, self.identifier)
            number = re.sub(r"[^0-9]+", "", label)
            found.append(TableRow(row, number, name, others, label))
        return found

    def value(self, row: int, column: int) -> str:
        return self.table.value(row, column).strip()

    def locked(self, row: int) -> bool:
        """Whether Moodle refuses a new grade; a column of the workflow may come before."""
        said = (self.value(row, self.maximum + place) for place in (1, 2))
        return any(text.casefold() in _NO for text in said)

    @property
    def _rows(self) -> list[int]:
        return [row for row in range(1, len(self.table.rows)) if self.value(row, self.identifier)]


def _columns(table: PatchedCsv, fits: Callable[[str], bool]) -> list[int]:
    """The columns of which every cell below the header fits; none in a table without rows."""
    rows = [row for row in range(1, len(table.rows)) if any(table.rows[row])]
    return [
        column
        for column in range(len(table.rows[0]) if rows else 0)
        if all(fits(table.value(row, column).strip()) for row in rows)
    ]
