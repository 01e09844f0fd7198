"""Moodle: fills grade and feedback of an assignment's grading worksheet.

Moodle exports the worksheet ("Download grading worksheet") and reads it back; every other byte
stays as it was. Feedback that somebody else wrote is kept. Moodle skips grades above the maximum
without a word, so none is written.
"""

import html
from collections import defaultdict
from collections.abc import Sequence
from pathlib import Path

from grader.course.assignment import Assignment

from ..classroom.csv_file import safe
from ..classroom.roster import Roster, abridged
from ..gradebook.result import Result
from ..report.for_students import for_student
from ..report.plain_text import cleaned, counted, number
from ..report.sentences import cause_sentence
from . import decimals
from .matching import FilledTable, Matcher, unfinished
from .moodle_worksheet import Worksheet
from .patched_csv import PatchedCsv


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
    maximum = decimals.read(like) or 0.0
    with_bonus = totals.max + sum(e.points or 0 for e in assignment.exercises if e.bonus)
    scale = 1.0 if maximum == with_bonus or not totals.max else maximum / totals.max
    points = round((totals.total or 0) * scale, 2)
    sheet.table.put(row, sheet.grade, decimals.written(min(points, maximum), like))
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
