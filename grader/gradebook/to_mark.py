"""The list of what is left to mark, rewritten without losing what a person filled in."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

from ..classroom.csv_file import CsvError, safe
from . import manual
from .manual import COLUMNS, Item, ManualMark, ManualMarks
from .result import Result
from .totals import WITHOUT_POINTS


@dataclass(frozen=True)
class Found:
    """What a person filled into an existing list, and a notice about it."""

    marks: Mapping[Item, ManualMark]
    keep: bool = False  # keep the file itself: a new list cannot hold all that is in it
    notice: str = ""


def filled_in(path: Path, stored: ManualMarks, comments: frozenset[tuple[Item, str]]) -> Found:
    """The marks in the list at `path` that are not `stored` yet.

    `comments` are all comments that were ever stored. A list that cannot be read, or has extra
    columns, must be kept as it is.
    """
    if not path.exists():
        return Found({})
    try:
        marks = manual.read(path, stored.course).marks
    except CsvError as error:
        return Found({}, True, f"{error.problems[0]}; correct it there")
    fresh = {
        item: mark
        for item, mark in marks.items()
        if stored.marks.get(item, ManualMark(None)) != mark
        # leave out a comment that the list was written with, and that was changed elsewhere since
        and not (mark.points is None and mark.comment and (item, mark.comment) in comments)
    }
    count = f"{len(fresh)} filled-in row{'s' if len(fresh) > 1 else ''}"
    notice = f"{path}: {count} not stored yet, carried over" if fresh else ""
    extra = manual.columns(path) - {*COLUMNS}
    if extra:
        notice = notice or f"{path}: it has extra columns ({', '.join(sorted(extra))})"
    return Found(fresh, bool(extra), notice)


def put_aside(path: Path) -> Path:
    """Rename the file, so that a new one can be written; returns its new path."""
    number = 1
    while (new := path.with_name(f"{path.stem}.kept-{number}{path.suffix}")).exists():
        number += 1
    return path.rename(new)


def text(results: Iterable[Result], filled: Mapping[Item, ManualMark]) -> str:
    """A CSV with a row for each written part that is pending, and for each mark in `filled`.

    A file that could not be read has no answers to mark and gets no row.
    """
    rows: dict[Item, ManualMark] = {}
    for result in results:
        for part in result.parts if result.outcome not in WITHOUT_POINTS else []:
            if part.points is None:
                rows[result.student, result.assignment, part.id] = ManualMark(None, part.comment)
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(COLUMNS)
    for item, mark in {**rows, **filled}.items():
        nothing = manual.WITHDRAWN if item in filled and not mark.comment else ""
        points = nothing if mark.points is None else f"{mark.points:.12g}"
        names = [safe(name) for name in item]
        writer.writerow([*names, points, safe(mark.comment)])
    return out.getvalue()
