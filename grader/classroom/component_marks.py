"""Marks for what is not handed in here: an exam, participation, a presentation.

    student,component,points,max
    ada,exam,52.5,60
    ben,exam,excused,

The components are those of `[grading]` in `course.toml`.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable
from pathlib import Path

from .csv_file import CsvError, CsvFile, Row

COLUMNS = ["student", "component", "points", "max"]
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
            f"{component!r} is no component of [grading] in course.toml; {known}: add it there"
        )
    if not student or (students is not None and student not in students):
        raise ValueError(f"nobody is called {student!r}: neither the roster nor a result has it")
    if points.casefold() == "excused":
        return (student, component), None
    earned, available = _number(points, "points"), _number(most, "max")
    if earned < 0 or available <= 0:
        raise ValueError(f"{points} of {most} points: give 0 or more of a max above 0")
    return (student, component), (earned, available)


def _number(text: str, column: str) -> float:
    try:
        value = float(text.replace(",", "."))
    except ValueError:
        value = math.nan
    if not math.isfinite(value):
        raise ValueError(f"{column} = {text!r} is not a number")
    return value
