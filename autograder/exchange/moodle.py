"""Moodle: fills grade and feedback of an assignment's grading worksheet.

Moodle exports the worksheet ("Download grading worksheet") and reads it back; every other byte
stays as it was. Feedback that somebody else wrote is kept.
"""

from __future__ import annotations

import html
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from ..classroom.cells import plain, safe
from ..classroom.csv_file import CsvError
from ..classroom.roster import Roster
from ..gradebook.result import Result
from ..report.plain_text import cleaned, counted, number
from ..report.sentences import cause_sentence
from .kept_csv import KeptCsv
from .matching import Filled, Matcher

if TYPE_CHECKING:
    from course_lib.course.syllabus import Assignment

OTHER_NAMES = ("ID number", "Username", "Email address")
FEEDBACK = "Feedback comments"


def filled(
    source: Path, results: Sequence[Result], assignment: Assignment, roster: Roster
) -> Filled:
    """The worksheet with our grades. Raises CsvError if it is not one that Moodle exported."""
    table = KeptCsv.read(source)
    identifier, grade = table.column("Identifier"), table.column("Grade")
    named = {name: column for column, name in enumerate(table.columns)}
    others = [(name, named[name]) for name in OTHER_NAMES if name in named]
    by_student = {r.student: r for r in results if r.assignment == assignment.id}
    matcher = Matcher("moodle", roster, {**by_student, **dict.fromkeys(roster.students)})
    notes, unmatched, found = [], [], dict[str, int]()
    changed = 0
    if FEEDBACK not in named:
        notes.append(f"no column {FEEDBACK!r}, so only grades: switch on feedback comments first")
    for row in range(1, len(table.rows)):
        name = table.value(row, identifier).strip()
        if not name:
            continue
        said = {other: table.value(row, column) for other, column in others}
        student = _student(matcher, name, said)
        if student is None:
            shown = table.value(row, named["Full name"]) if "Full name" in named else name
            unmatched.append(f"line {table.lines[row]}: {shown} ({name})")
            continue
        if student in found:
            raise CsvError([
                f"{source}, line {table.lines[row]}: {student} is on line {found[student]} too: "
                "correct the roster's column moodle"
            ])  # fmt: skip
        found[student] = table.lines[row]
        result = by_student.get(student)
        if result is None or result.totals.total is None:
            continue
        if roster.terms(student, assignment.id).excused:
            notes.append(f"{student} is excused: left as it was")
            continue
        locked = named.get("Grade can be changed")
        if locked is not None and table.value(row, locked).strip().casefold() == "no":
            notes.append(f"{student}: Moodle does not let this grade be changed; left as it was")
            continue
        table.put(row, grade, _grade(result, table, row, named.get("Maximum Grade")))
        changed += 1
        if FEEDBACK in named and not _give_feedback(table, row, named[FEEDBACK], result):
            notes.append(f"{student} has feedback of somebody else: it is kept")
    absent = sorted({*by_student} - {*found})
    return Filled(table.text(), changed, unmatched, absent, notes)


def feedback(result: Result) -> str:
    """What a student reads beside the grade: points of each exercise and what is not marked yet.

    Moodle takes it as HTML.
    """
    shown, totals = cleaned(result), result.totals
    lines = [f"{number(totals.total)} of {number(totals.max)} points"]
    if totals.late_penalty:
        lines[0] += f", after {number(totals.late_penalty)} were deducted for lateness"
    lines += [result.reason] if result.reason else []
    for exercise in shown.exercises:
        line = f"{exercise.id} {exercise.title}: {number(exercise.points)}"
        line += f" of {number(exercise.max_points)}{' (bonus)' if exercise.bonus else ''}"
        said = [cause_sentence(exercise), exercise.comment, *(p.comment for p in exercise.parts)]
        lines.append(". ".join([line, *filter(None, said)]))
    if totals.manual_pending:
        lines.append(f"{counted(totals.manual_pending, 'written part')} not marked yet")
    text = "<br>".join(html.escape(line, quote=False) for line in lines)
    return plain(safe(f"{_heading(result)}{text}"))


def _heading(result: Result) -> str:
    return f"{result.assignment.upper()}: "


def _student(matcher: Matcher, identifier: str, others: dict[str, str]) -> str | None:
    """The roster may say "Participant 12345", as Moodle does, or only the number."""
    number = identifier.removeprefix("Participant").strip()
    return matcher.student(identifier, {}) or matcher.student(number, others)


def _grade(result: Result, table: KeptCsv, row: int, maximum: int | None) -> str:
    totals = result.totals
    text = table.value(row, maximum).strip() if maximum is not None else ""
    decimal = "," if "," in text else "."
    try:
        scale = float(text.replace(",", ".")) / totals.max
    except (ValueError, ZeroDivisionError):
        scale = 1.0
    return f"{(totals.total or 0) * scale:.2f}".replace(".", decimal)


def _give_feedback(table: KeptCsv, row: int, column: int, result: Result) -> bool:
    """Write our feedback, unless the cell has somebody else's; then False."""
    before = table.value(row, column).strip()
    if before and not before.startswith(_heading(result)):
        return False
    table.put(row, column, feedback(result))
    return True
