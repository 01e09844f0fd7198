"""Marks for what is not handed in here: an exam, participation, a presentation.

    student,component,points,max
    ada,exam,52.5,60
    ben,exam,excused,
    cyd,exam,63 extra,60

The components are those of `[grading]` in `course.toml`. More points than the maximum need the word
`extra` behind them.
"""

import math
from collections.abc import Collection, Iterable
from pathlib import Path

from .csv_file import CsvError, CsvFile, Row, check_name

COLUMNS = ["student", "component", "points", "max"]
EXTRA = "extra"  # behind points: there may be more than the maximum
Points = tuple[float, float] | None  # points and their maximum; None: excused
Marks = dict[tuple[str, str], Points]  # by student and component


def read(
    paths: Iterable[str | Path], components: Collection[str], students: Collection[str] | None
) -> Marks:
    """The marks of all files. `students`: everybody there is, if that is known.

    Raises CsvError, which lists every bad row.
    """
    found, problems = Marks(), []
    for path in paths:
        try:
            rows = CsvFile.read(path, COLUMNS).each(
                lambda row: _row(row, components, students), _unique
            )
        except CsvError as error:
            problems += error.problems
            continue
        for key, points in rows:
            if key in found:
                problems.append(f"{path}: {' has '.join(key)} in another file too: keep one")
            found[key] = points
    if problems:
        raise CsvError(problems)
    return found


def _unique(row: tuple[tuple[str, str], Points]) -> list[str]:
    return [" has ".join(row[0])]


def _row(
    row: Row, components: Collection[str], students: Collection[str] | None
) -> tuple[tuple[str, str], Points] | None:
    student, component, points, most = (row[name] for name in COLUMNS)
    if not points:
        return None
    if component not in components:
        known = f"there are {', '.join(components)}" if components else "there is none"
        raise ValueError(
            f"{component!r} is not a component of [grading] in course.toml; {known}: add it there"
        )
    if not student:
        raise ValueError("no student: write the name used in the grades")
    check_name(student, students)
    if points.casefold() == "excused":
        return (student, component), None
    number, _, word = points.partition(" ")
    extra = word.strip().casefold() == EXTRA
    earned, available = _number(number if extra else points, "points"), _number(most, "max")
    if earned < 0 or available <= 0:
        raise ValueError(f"{points} of {most} points: give 0 or more of a max above 0")
    if earned > available and not extra:
        raise ValueError(
            f"{points} of {most} points are above the maximum: correct them, or write "
            f'"{points} {EXTRA}" if you mean it'
        )
    return (student, component), (earned, available)


def _number(text: str, column: str) -> float:
    try:
        value = float(text.replace(",", "."))
    except ValueError:
        value = math.nan
    if not math.isfinite(value):
        raise ValueError(f"{column} = {text!r} is not a number")
    return value
