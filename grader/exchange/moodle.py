"""Moodle: fills grade and feedback of an assignment's grading worksheet.

Moodle exports the worksheet ("Download grading worksheet") and reads it back; every other byte
stays as it was. Feedback that somebody else wrote is kept.
"""

from __future__ import annotations

import html
from collections.abc import Iterator, Sequence
from pathlib import Path

from grader.course.assignment import Assignment

from ..classroom.csv_file import safe
from ..classroom.roster import Roster
from ..gradebook.result import Result
from ..report.for_students import for_student
from ..report.plain_text import cleaned, counted, number
from ..report.sentences import cause_sentence
from .kept_csv import KeptCsv
from .matching import FilledTable, Matcher, Rows, unfinished

OTHER_NAMES = ("ID number", "Username", "Email address")
FEEDBACK, MAXIMUM = "Feedback comments", "Maximum Grade"


def filled(
    source: Path, results: Sequence[Result], assignment: Assignment, roster: Roster
) -> FilledTable:
    """The worksheet with our grades. Raises CsvError if it is not one that Moodle exported."""
    table = KeptCsv.read(source)
    by_student = {r.student: r for r in results if r.assignment == assignment.id}
    matcher = Matcher("moodle", roster, {**by_student, **dict.fromkeys(roster.students)})
    rows = Rows.found(table, "moodle", _students(table, matcher))
    changed, notes = 0, []
    if FEEDBACK not in table.columns:
        notes.append(f"no column {FEEDBACK!r}, so only grades: switch on feedback comments first")
    cells: dict[tuple[str, str], Result | None] = {}
    for student, row in rows.of.items():
        result, excused = by_student.get(student), roster.terms(student, assignment.id).excused
        if result is None or result.totals.total is None:
            cells |= {} if excused else {(student, assignment.id): result}
        elif excused:
            notes.append(f"{student} is excused: left as it was")
        elif _cell(table, row, "Grade can be changed").casefold() == "no":
            notes.append(f"{student}: Moodle does not let this grade be changed; left as it was")
        else:
            table.put(row, table.column("Grade"), _grade(result, _cell(table, row, MAXIMUM)))
            changed += 1
            cells[student, assignment.id] = result
            if FEEDBACK in table.columns and not _give_feedback(table, row, result):
                notes.append(f"{student} has feedback of somebody else: it is kept")
    notes += unfinished(cells)
    absent = sorted({*by_student} - {*rows.of})
    return FilledTable(table.text(), changed, rows.unmatched, absent, notes)


def feedback(result: Result) -> str:
    """What a student reads beside the grade: points of each exercise and what is not marked yet.

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
        said = [cause_sentence(exercise), exercise.comment, *(p.comment for p in exercise.parts)]
        lines.append(". ".join([line, *filter(None, said)]))
    if totals.manual_pending:
        lines.append(f"{counted(totals.manual_pending, 'written part')} not marked yet")
    text = "<br>".join(html.escape(line, quote=False) for line in lines)
    return safe(f"{_heading(result)}{text}")


def _heading(result: Result) -> str:
    return f"{result.assignment.upper()}: "


def _students(table: KeptCsv, matcher: Matcher) -> Iterator[tuple[int, str, str | None]]:
    """The row, name in Moodle, and student of everybody.

    The roster may say "Participant 12345", as Moodle does, or only the number.
    """
    identifier = table.column("Identifier")
    for row in range(1, len(table.rows)):
        if name := table.value(row, identifier).strip():
            others = {other: _cell(table, row, other) for other in OTHER_NAMES}
            short = name.removeprefix("Participant").strip()
            student = matcher.student(name, {}) or matcher.student(short, others)
            shown = _cell(table, row, "Full name")
            if student or not matcher.has_left(shown, short, others):
                yield row, f"{shown} ({name})".strip(), student


def _cell(table: KeptCsv, row: int, column: str) -> str:
    """What the cell says; "" if there is no such column."""
    there = column in table.columns
    return table.value(row, table.column(column)).strip() if there else ""


def _grade(result: Result, maximum: str) -> str:
    """Scaled to the maximum grade and written with its decimal sign."""
    totals, decimal = result.totals, "," if "," in maximum else "."
    try:
        scale = float(maximum.replace(",", ".")) / totals.max
    except (ValueError, ZeroDivisionError):
        scale = 1.0
    return f"{(totals.total or 0) * scale:.2f}".replace(".", decimal)


def _give_feedback(table: KeptCsv, row: int, result: Result) -> bool:
    """Write our feedback, unless the cell has somebody else's; then False."""
    before = _cell(table, row, FEEDBACK)
    if before and not before.startswith(_heading(result)):
        return False
    table.put(row, table.column(FEEDBACK), feedback(result))
    return True
