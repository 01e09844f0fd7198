"""Canvas: fills our assignments' columns of a gradebook that Canvas exported.

Every other byte stays as it was, so the file can be imported as it is. A column belongs to an
assignment if its name says so: "a1", "A1: Self-attention", "Assignment 1", or the title. Points are
scaled to the column's points possible; excused students get EX.
"""

import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from pathlib import Path

from grader.course.assignment import Assignment
from grader.course.course import Course

from ..classroom.csv_file import CsvError
from ..classroom.roster import Roster, abridged
from ..gradebook.result import Result
from . import patched_csv
from .matching import FilledTable, Matcher, TableRow, unfinished
from .patched_csv import PatchedCsv

NAMES = (["Student"], ["FirstName", "LastName"])  # the second if names are exported split
OTHER_NAMES = ("SIS User ID", "SIS Login ID", "Integration ID")
TEST_STUDENT = ("student, test", "test student")
POINTS_POSSIBLE = "points possible"
READ_ONLY = "(read only)"
EXCUSED = "EX"
NOT_ASSIGNED = "N/A"  # Canvas imports nothing into such a cell


def filled(source: Path, results: Sequence[Result], course: Course, roster: Roster) -> FilledTable:
    """The gradebook with our grades. Raises CsvError if it is not one that Canvas exported."""
    table = PatchedCsv.read(source)
    possible = _points_possible(table)
    graded = {result.assignment for result in results}
    columns, notes = _columns(table, course, possible, graded)
    rows = Matcher("canvas", roster, results).rows(table, _people(table, possible))
    grades = {(result.student, result.assignment): result for result in results}
    changed, refused = 0, list[str]()
    for student, row in rows.of.items():
        cells = {
            column: text
            for column in columns
            if (text := _grade(grades.get((student, column.id)), roster, student, column))
        }
        for column in [c for c in cells if table.value(row, c.index).strip() == NOT_ASSIGNED]:
            refused.append(f"{student} {column.id}")
            del cells[column]
        for column, text in cells.items():
            table.put(row, column.index, text)
        changed += bool(cells)
    if refused:
        notes.append(f"left as {NOT_ASSIGNED}, as Canvas does not assign it: {abridged(refused)}")
    handed_in = graded & {column.id for column in columns}
    notes += rows.notes
    notes += unfinished(
        {
            (student, id): grades.get((student, id))
            for student in rows.of
            for id in sorted(handed_in)
            if not roster.terms(student, id).excused
        }
    )
    absent = sorted({result.student for result in results} - {*rows.of})
    return FilledTable(table.text(), changed, "canvas", rows.unmatched, absent, notes)


def _people(table: PatchedCsv, possible: int) -> list[TableRow]:
    """Everybody below the points possible."""
    names = next(names for names in NAMES if names[0] in table.columns)
    others = [other for other in OTHER_NAMES if other in table.columns]
    found = []
    for row in range(possible + 1, len(table.rows)):
        name = " ".join(table.value(row, table.column(part)).strip() for part in names).strip()
        if name and name.casefold() not in TEST_STUDENT:
            number = table.value(row, table.column("ID")).strip()
            logins = (table.value(row, table.column(other)).strip() for other in others)
            found.append(TableRow(row, number, name, tuple(logins)))
    return found


def _points_possible(table: PatchedCsv) -> int:
    """The row below which the students are. Raises CsvError if it is no gradebook of Canvas."""
    if not any({*names, "ID"} <= {*table.columns} for names in NAMES):
        raise CsvError([
            f"{table.path}, line 1: no columns Student and ID, or LastName, FirstName and ID; "
            "give the gradebook as Canvas exported it"
        ])  # fmt: skip
    for row in range(1, min(len(table.rows), 5)):
        if table.value(row, 0).strip().casefold() == POINTS_POSSIBLE:
            return row
    raise CsvError([
        f"{table.path}: no row “Points Possible”; export the gradebook from Canvas again"
    ])  # fmt: skip


@dataclass(frozen=True)
class Column:
    """The column of an assignment; `possible` is its points possible as written there."""

    id: str
    index: int
    possible: str


def _columns(
    table: PatchedCsv, course: Course, possible: int, graded: Collection[str]
) -> tuple[list[Column], list[str]]:
    """The column of each assignment, and those that are graded and have none."""
    found, notes = list[Column](), []
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
            if assignment.id in graded:
                notes.append(f"{assignment.id}: no column in Canvas names it")
            continue
        column = Column(assignment.id, columns[0], table.value(possible, columns[0]))
        found.append(column)
        if (points := patched_csv.number_in(column.possible)) and points != 100:
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


def _grade(result: Result | None, roster: Roster, student: str, column: Column) -> str:
    """The cell's text; "" leaves it as it is."""
    if roster.terms(student, column.id).excused:
        return EXCUSED
    if result is None or result.totals.total is None:
        return ""
    totals, maximum = result.totals, patched_csv.number_in(column.possible)
    scale = maximum / totals.max if maximum and totals.max else 1.0
    return patched_csv.written_like((totals.total or 0) * scale, column.possible)
