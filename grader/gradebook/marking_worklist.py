"""The list of what is left to mark, rewritten without losing what a person filled in."""

import csv
import io
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

from ..classroom.csv_file import CsvError, safe
from . import answers, manual
from .manual import Item, ManualMark, ManualMarks
from .result import Held, Result
from .totals import WITHOUT_POINTS

COLUMNS = [*manual.COLUMNS, "answer_sha256", "note"]
_READ = {*COLUMNS, "marker"}


@dataclass(frozen=True)
class Found:
    """The entries of a person in an existing list, and a notice about it."""

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
        if _is_new(mark, stored.marks.get(item, ManualMark(None)))
        # leave out a comment that the list was written with, and that was changed elsewhere since
        and not (mark.only_comments and (item, mark.comment) in comments)
    }
    count = f"{len(fresh)} filled-in row{'s' if len(fresh) > 1 else ''}"
    notice = f"{path}: {count} not stored yet, carried over" if fresh else ""
    extra = manual.columns(path) - _READ
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
    """A CSV with a row for each part or model that is pending, and for each mark in `filled`.

    An item that its student asks to have looked at again has a row with the reason.

    A group has one row, under its first member's name. A mark that is held, as its answer has
    changed, has a row with a note of what it was. A file that could not be read has no answers to
    mark and gets no row.
    """
    results = [result for result in results if result.outcome not in WITHOUT_POINTS]
    groups = answers.groups(results)
    notes: dict[Item, list[str]] = {}
    rows: dict[Item, ManualMark] = {}
    for result in results:
        held = {mark.item: mark for mark in result.held}
        asked = {one.item: one.reason for one in result.requests if not one.answered_at}
        parts = {part.id: part for part in answers.parts_of(result)}
        pending = [id for id, part in parts.items() if part.points is None]
        group = groups.get((result.student, result.assignment), (result.student,))
        for id in dict.fromkeys([*pending, *held, *asked]):
            item = (result.student, result.assignment, id)
            first = (group[0], *item[1:])
            comment = parts[id].comment if id in parts else ""
            mark = ManualMark(None, comment, answer_sha256=answers.sha256_of(result, id))
            if first in rows and rows[first] == mark and id not in {**held, **asked}:
                continue  # of a group, whose first member's row says it
            rows[item] = mark
            notes[item] = [_was(held[id])] if id in held else []
            notes[item] += (
                [f"the student asks: {' '.join(asked[id].split())}"] if id in asked else []
            )
            notes[item] += (
                [f"also for {', '.join(group[1:])}"] if item == first and group[1:] else []
            )
    return _csv({**rows, **filled}, filled, notes)


def _csv(
    rows: Mapping[Item, ManualMark],
    filled: Mapping[Item, ManualMark],
    notes: Mapping[Item, list[str]],
) -> str:
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(COLUMNS)
    for item, mark in rows.items():
        nothing = manual.WITHDRAWN if item in filled and not mark.only_comments else ""
        points = nothing if mark.points is None else f"{mark.points:.12g}"
        texts = [mark.comment, answers.beginning(mark.answer_sha256 or "")]
        texts.append("; ".join(notes.get(item, [])))
        writer.writerow([*map(safe, item), points, *map(safe, texts)])
    return out.getvalue()


def _is_new(mark: ManualMark, stored: ManualMark) -> bool:
    """Whether a row says something else than the store, or says it of another answer."""
    named = mark.answer_sha256
    confirms = named is not None and not (stored.answer_sha256 or named).startswith(named)
    return mark != stored or confirms


def _was(held: Held) -> str:
    points = "a comment" if held.points is None else f"{held.points:g} points"
    said = f", “{held.comment}”" if held.comment else ""
    return f"the answer has changed; before: {points}{said}"
