"""Moodle: finds its way in an assignment's grading worksheet, and fills grade and feedback.

Moodle exports the worksheet ("Download grading worksheet") and reads it back; every other byte
stays as it was. Feedback that somebody else wrote is kept. Moodle skips grades above the maximum
without a word, so none is written.
"""

import html
import re
from collections import defaultdict
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from grader.course.assignment import Assignment

from ..classroom.csv_file import CsvError, safe
from ..classroom.roster import Roster, abridged
from ..gradebook.result import Result
from ..report.for_students import for_student
from ..report.plain_text import cleaned, counted, number
from ..report.sentences import cause_sentence
from . import patched_csv
from .matching import FilledTable, Matcher, TableRow, unfinished
from .patched_csv import PatchedCsv

_PARTICIPANT = re.compile(r"\D+[0-9]+")
_DATE = re.compile(r"-|.*\d{4}.*|.*\d{1,2}[:.]\d{2}.*")
_NO = frozenset(  # the answer to "Grade can be changed" if it cannot, in Moodle's languages
    "no nein non não nee nej nei ei nie ne nem nu ez nē không tidak ні нет не όχι hayır yox "
    "لا كلا לא خیر いいえ 否 不 아니오 아니요 नहीं না ไม่ ไม่ใช่ არა ոչ".split()
)


@dataclass(frozen=True)
class Worksheet:
    """A grading worksheet and where its columns are: found by their order and contents.

    Moodle writes the header in the language of whoever exports it. The order is the same in all: a
    number for each participant, the name and what else identifies people, status, grade, maximum
    grade, whether the grade can be changed, dates, and after the last date the feedback.
    """

    table: PatchedCsv
    identifier: int
    grade: int
    maximum: int
    feedback: int | None  # None unless Moodle asks for feedback comments

    @classmethod
    def of(cls, table: PatchedCsv) -> "Worksheet":
        """Raises CsvError if the table is no grading worksheet, or one without points."""
        identifiers = _columns(table, lambda text: bool(_PARTICIPANT.fullmatch(text)))
        if not identifiers or len(table.rows[0]) < 4:
            raise CsvError([
                f"{table.path}: no column of participants (such as Participant 4711); "
                "give the grading worksheet as Moodle exported it"
            ])  # fmt: skip
        maxima = _columns(table, lambda text: bool(patched_csv.number_in(text)))
        grades = _columns(table, lambda text: not text or patched_csv.number_in(text) is not None)
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


def filled(
    source: Path, results: Sequence[Result], assignment: Assignment, roster: Roster
) -> FilledTable:
    """The worksheet with our grades. Raises CsvError if it is not one that Moodle exported."""
    sheet = Worksheet.of(PatchedCsv.read(source))
    by_student = {r.student: r for r in results if r.assignment == assignment.id}
    rows = Matcher("moodle", roster, [*by_student.values()]).rows(sheet.table, sheet.people)
    cells, left = dict[tuple[str, str], Result | None](), defaultdict[str, list[str]](list)
    changed, notes = 0, list[str]()
    if sheet.feedback is None:
        notes.append("no column for feedback comments, so only grades: switch them on in Moodle")
    for student, row in rows.of.items():
        result, excused = by_student.get(student), roster.terms(student, assignment.id).excused
        if result is None or result.totals.total is None:
            cells |= {} if excused else {(student, assignment.id): result}
        elif excused:
            left["excused, left as it was"].append(student)
        elif sheet.locked(row):
            left["Moodle does not let the grade be changed, left as it was"].append(student)
        else:
            cells[student, assignment.id], changed = result, changed + 1
            if high := _put_grade(sheet, row, result, assignment):
                left[high].append(f"{student} ({number(result.totals.total)})")
            if not _put_feedback(sheet, row, result):
                left["has feedback from somebody else, which is kept"].append(student)
    notes += [f"{what}: {abridged(names)}" for what, names in left.items()]
    absent = sorted({*by_student} - {*rows.of})
    notes += rows.notes
    notes += unfinished(cells)
    return FilledTable(sheet.table.text(), changed, "moodle", rows.unmatched, absent, notes)


def _put_grade(sheet: Worksheet, row: int, result: Result, assignment: Assignment) -> str:
    """Write the grade, scaled to the maximum unless that has room for the bonus.

    Moodle imports no grade above the maximum: such a grade is written as the maximum. Returns what
    to say of it, or "".
    """
    totals, like = result.totals, sheet.value(row, sheet.maximum)
    maximum = patched_csv.number_in(like) or 0.0
    with_bonus = totals.max + sum(e.points or 0 for e in assignment.exercises if e.bonus)
    scale = 1.0 if maximum == with_bonus or not totals.max else maximum / totals.max
    points = round((totals.total or 0) * scale, 2)
    sheet.table.put(row, sheet.grade, patched_csv.written_like(min(points, maximum), like))
    if points <= maximum:
        return ""
    return (
        f"above Moodle's maximum grade, so written as {maximum:g} (Moodle skips higher grades; for "
        f"room set it to {with_bonus:g} there and download the worksheet again)"
    )


def feedback(result: Result) -> str:
    """The student's text next to the grade: points of each exercise, and parts still to be marked.

    Moodle takes it as HTML.
    """
    shown, totals = cleaned(for_student(result)), result.totals
    lines = [f"{number(totals.total)} of {number(totals.max)} points"]
    if totals.late_penalty:
        lines[0] += f", after {number(totals.late_penalty)} were deducted for lateness"
    lines += [shown.reason] if shown.reason else []
    lines += [shown.comment] if shown.comment else []
    for exercise in shown.exercises:
        line = f"{exercise.id} {exercise.title}: {number(exercise.points)}"
        line += f" of {number(exercise.max_points)}{' (bonus)' if exercise.bonus else ''}"
        said = [cause_sentence(exercise, result), exercise.comment]
        said += [part.comment for part in exercise.parts]
        lines.append(". ".join([line, *filter(None, said)]))
    if totals.manual_pending:
        lines.append(f"{counted(totals.manual_pending, 'part')} not marked yet")
    text = "<br>".join(html.escape(line, quote=False) for line in lines)
    return safe(f"{_heading(result)}{text}")


def _heading(result: Result) -> str:
    return f"{result.assignment.upper()}: "


def _put_feedback(sheet: Worksheet, row: int, result: Result) -> bool:
    """Write our feedback, unless the cell has somebody else's; then False."""
    if sheet.feedback is None:
        return True
    before = sheet.value(row, sheet.feedback)
    if before and not before.startswith(_heading(result)):
        return False
    sheet.table.put(row, sheet.feedback, feedback(result))
    return True
