"""Canvas: fills our assignments' columns of a gradebook that Canvas exported.

Every other byte stays as it was, so the file can be imported as it is. A column belongs to an
assignment if its name says so: "a1", "A1: Self-attention", "Assignment 1", or the title. Points are
scaled to the column's points possible; excused students get EX.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from pathlib import Path

from grader.course.assignment import Assignment
from grader.course.course import Course

from ..classroom.csv_file import CsvError
from ..classroom.roster import Roster
from ..gradebook.result import Result
from .kept_csv import KeptCsv
from .matching import FilledTable, Matcher, Rows, unfinished

OTHER_NAMES = ("SIS User ID", "SIS Login ID", "Integration ID")
POINTS_POSSIBLE = "points possible"
READ_ONLY = "(read only)"
EXCUSED = "EX"


def filled(source: Path, results: Sequence[Result], course: Course, roster: Roster) -> FilledTable:
    """The gradebook with our grades. Raises CsvError if it is not one that Canvas exported."""
    table = KeptCsv.read(source)
    possible = _points_possible(table, table.column("Student"))
    columns, notes = _columns(table, course, possible)
    known = {result.student: None for result in results} | dict.fromkeys(roster.students)
    matcher = Matcher("canvas", roster, known)
    rows = Rows.found(table, "canvas", _students(table, possible, matcher))
    grades = {(result.student, result.assignment): result for result in results}
    changed = 0
    for student, row in rows.of.items():
        cells = {
            column: text
            for id, (column, maximum) in columns.items()
            if (text := _grade(grades.get((student, id)), roster, student, id, maximum))
        }
        for column, text in cells.items():
            table.put(row, column, text)
        changed += bool(cells)
    handed_in = {result.assignment for result in results} & {*columns}
    notes += unfinished(
        {
            (student, id): grades.get((student, id))
            for student in rows.of
            for id in sorted(handed_in)
            if not roster.terms(student, id).excused
        }
    )
    absent = sorted({result.student for result in results} - {*rows.of})
    return FilledTable(table.text(), changed, rows.unmatched, absent, notes)


def _students(
    table: KeptCsv, possible: int, matcher: Matcher
) -> Iterator[tuple[int, str, str | None]]:
    """The row, name in Canvas, and student of everybody below the points possible."""
    name, internal = table.column("Student"), table.column("ID")
    others = [other for other in OTHER_NAMES if other in table.columns]
    for row in range(possible + 1, len(table.rows)):
        shown = table.value(row, name).strip()
        if shown.casefold() not in ("", "student, test"):
            said = {other: table.value(row, table.column(other)) for other in others}
            number = table.value(row, internal)
            student = matcher.student(number, said)
            if student or not matcher.has_left(shown, number, said):
                yield row, shown, student


def _points_possible(table: KeptCsv, name: int) -> int:
    """The row below which the students are."""
    for row in range(1, min(len(table.rows), 5)):
        if table.value(row, name).strip().casefold() == POINTS_POSSIBLE:
            return row
    raise CsvError([
        f"{table.path}: no row “Points Possible”; export the gradebook from Canvas again"
    ])  # fmt: skip


def _columns(
    table: KeptCsv, course: Course, possible: int
) -> tuple[dict[str, tuple[int, float | None]], list[str]]:
    """By assignment: its column and the points possible there. And what was not found."""
    found, notes = dict[str, tuple[int, float | None]](), []
    for assignment in course.assignments:
        columns = [
            number
            for number, title in enumerate(table.columns)
            if _is_of(title, assignment)
            and READ_ONLY not in table.value(possible, number).casefold()
        ]
        if len(columns) > 1:
            names = " and ".join(repr(table.columns[column]) for column in columns)
            raise CsvError([
                f"{table.path}, line 1: {names} could both be {assignment.id}: rename one in Canvas"
            ])  # fmt: skip
        if not columns:
            notes.append(f"{assignment.id}: no column in Canvas names it")
            continue
        points = _number(table.value(possible, columns[0]))
        found[assignment.id] = (columns[0], points)
        if points and points != 100:
            notes.append(f"{assignment.id}: scaled from 100 to {points:g} points")
    return found, notes


def _is_of(title: str, assignment: Assignment) -> bool:
    """Whether Canvas's "Name (12345)" names this assignment."""
    match = re.fullmatch(r"(.*\S)\s*\(\d+\)", title)
    if match is None:
        return False
    name, number = match[1].casefold(), assignment.id[1:]
    named = rf"\b({assignment.id}|assignment\s*0*{number})\b"
    return name == assignment.title.casefold() or bool(re.search(named, name))


def _number(text: str) -> float | None:
    try:
        return float(text.strip().replace(",", "."))
    except ValueError:
        return None


def _grade(
    result: Result | None, roster: Roster, student: str, id: str, maximum: float | None
) -> str:
    """The cell's text; "" leaves it as it is."""
    if roster.terms(student, id).excused:
        return EXCUSED
    if result is None or result.totals.total is None:
        return ""
    totals = result.totals
    scale = maximum / totals.max if maximum and totals.max else 1.0
    return f"{round((totals.total or 0) * scale, 2):g}"
