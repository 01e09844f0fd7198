"""A course grade for the terminal: a table of a class, and how one student's number came to be."""

from collections.abc import Sequence
from fractions import Fraction
from typing import Literal

from rich.table import Table
from rich.text import Text

from grader.course.grading import Grading

from ..course.visible import visible
from ..gradebook.course_grades import CourseGrade, Mark, shown_percent
from ..gradebook.course_total import Part, rounded
from .plain_text import counted, number

GAP = 2  # between columns of the table
SHORTEST = 8  # characters of a name in a line
FOLDED = (24, 8, 5)  # characters of a heading in a line, tried in this order


def grades_table(grades: Sequence[CourseGrade], width: int = 80) -> Table:
    """One row per student: percent of each assignment and component, and the total.

    In `width` characters: where they do not fit, headings of marks are folded, then long names.
    """
    rows = [_row(grade) for grade in grades]
    names = ["student", *(grades[0].marks if grades else ()), "total", "pending"]
    numbers = [max(map(len, cells)) for cells in zip(*rows, strict=True)] or [0] * len(names)
    for most in FOLDED:
        heads = [7, *(min(len(name), most) for name in names[1:-2]), 5, 7]
        widths = [max(pair) for pair in zip(numbers, heads, strict=True)]
        left = width - sum(widths[1:]) - GAP * len(widths[1:])
        if widths[0] <= left:
            break
    widths[0] = max(SHORTEST, min(widths[0], left))
    shown = Table(box=None, pad_edge=False, header_style="dim", padding=(0, GAP, 0, 0))
    for name, wide in zip(names, widths, strict=True):
        left_aligned = name in ("student", "pending")
        side: Literal["left", "right"] = "left" if left_aligned else "right"
        shown.add_column(name, justify=side, width=wide, overflow="fold")
    for student, *cells, total, pending in rows:
        shown.add_row(Text(student), *cells, Text(total, style="bold"), pending)
    return shown


def _row(grade: CourseGrade) -> list[str]:
    total = "unknown" if grade.total is None else f"{grade.total:.2f}"
    waiting = counted(grade.pending, "part") if grade.pending else ""
    cells = [_cell(mark) for mark in grade.marks.values()]
    return [visible(grade.student.id), *cells, total, waiting]


def explained(grade: CourseGrade, grading: Grading) -> str:
    """Every number of one student's grade, what it counts, and why."""
    lines = [f"{visible(grade.student.shown)}: {_total(grade)}", ""]
    lines.append(f"{'':<24}{'percent':>9}{'counts':>10}{'gives':>9}   from")
    for part in grade.sum.parts:
        lines += _part(part, grade, grading, "")
    given = sum((part.gives for part in grade.sum.parts), Fraction(0))
    lines.append(f"{'sum':<24}{'':>19}{rounded(given):>9.2f}")
    if grade.sum.capped:
        lines.append(f"more than the cap of {grading.cap_percent:g} is not counted")
    if grade.pending:
        lines.append(f"{counted(grade.pending, 'part')} not marked yet: counted as 0 until then")
    return "\n".join(lines)


def _total(grade: CourseGrade) -> str:
    if grade.total is not None:
        return f"{grade.total:.2f} percent"
    unknown = [id for id, mark in grade.marks.items() if not mark.known]
    if unknown:
        return f"no total, as the grader failed on {', '.join(unknown)}: grade again"
    return "no total, as nothing counts"


def _part(part: Part, grade: CourseGrade, grading: Grading, indent: str) -> list[str]:
    mark = grade.marks.get(part.id)
    percent = number(rounded(part.percent)) if part.percent is not None else "–"
    counts = f"{rounded(part.share):.2f} %" if part.share else "–"
    gives = f"{rounded(part.gives):.2f}" if part.share else "–"
    why = mark.said if mark else _group(part, grading)
    if part.state in ("dropped", "weight 0", "extra credit"):
        why = f"{part.state}: {why}"
    line = f"{indent + part.id:<24}{percent:>9}{counts:>10}{gives:>9}   {why}"
    return [line, *(text for p in part.parts for text in _part(p, grade, grading, indent + "  "))]


def _group(part: Part, grading: Grading) -> str:
    group = next(group for group in grading.groups if group.id == part.id)
    facts = [f"group of {len(group.items)}"]
    facts += [f"the best {group.best} count"] if group.best else []
    facts += [f"the lowest {group.drop_lowest} dropped"] if group.drop_lowest else []
    facts += [f"capped at {group.cap_percent:g}"] if part.capped else []
    return ", ".join(facts)


def _cell(mark: Mark) -> str:
    return f"{shown_percent(mark) or '?'}{'…' if mark.pending else ''}"
