"""Manual marks in the results store: each with who gave it, when, and for which answer."""

import datetime
import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

from sqlalchemy import Connection

from . import answers, rows
from .database.schema import marks as table
from .exercise_result import Criterion
from .manual import Item, ManualMark, ManualMarks
from .result import Held, Result


class KeptMark(NamedTuple):
    """A manual mark as it was stored; `id` grows with every mark. Its author is `mark`."""

    item: Item
    mark: ManualMark
    kept_at: str  # an ISO time
    id: int = 0
    undoes: int | None = None  # the mark that this one takes back, so that the one before counts
    act: str = ""  # marks that were stored in one step have the same; those of a file have none


def every(connection: Connection, item: Sequence[str] = ()) -> list[KeptMark]:
    """Every mark that was ever stored, or those of an item or its beginning, oldest first."""
    query = table.select().order_by(table.c.id)
    for name, value in zip(("student", "assignment", "item"), item, strict=False):
        query = query.where(table.c[name] == value)
    return [
        KeptMark(
            (row.student, row.assignment, row.item),
            ManualMark(
                row.points,
                row.comment,
                row.marker or "",
                row.answer_sha256,
                row.kept_at,
                rubric=tuple(Criterion(**one) for one in json.loads(row.rubric or "[]")),
            ),
            row.kept_at,
            row.id,
            row.undoes,
            row.act or "",
        )
        for row in connection.execute(query)
    ]


def newest(kept: Iterable[KeptMark]) -> dict[Item, KeptMark]:
    """The newest mark of each item."""
    return {mark.item: mark for mark in kept}


def standing(kept: Iterable[KeptMark]) -> list[KeptMark]:
    """The marks of one item that were not taken back, oldest first; the last one counts."""
    found: list[KeptMark] = []
    for mark in kept:
        found = [one for one in found if one.id != mark.undoes] if mark.undoes else [*found, mark]
    return found


def acts(kept: Iterable[KeptMark], marker: str) -> list[list[KeptMark]]:
    """This marker's stored marks that can still be taken back, by step, the oldest first.

    A mark that was taken back, or that somebody has marked upon since, is left out.
    """
    by_item: dict[Item, list[KeptMark]] = {}
    for mark in kept:
        by_item.setdefault(mark.item, []).append(mark)
    newest = [of_one[-1] for of_one in map(standing, by_item.values()) if of_one]
    found: dict[str, list[KeptMark]] = {}
    for mark in sorted(newest, key=lambda mark: mark.id):
        if mark.act and mark.mark.marker == marker:
            found.setdefault(mark.act, []).append(mark)
    return list(found.values())


def append(
    connection: Connection,
    marks: Mapping[Item, ManualMark],
    *,
    undoes: int | None = None,
    act: str = "",
    carried: bool = False,
) -> None:
    """Add a row for each mark, given now, or when it says if it is `carried` over."""
    now = datetime.datetime.now(datetime.timezone.utc).isoformat(timespec="seconds")
    added = [
        {
            "student": student,
            "assignment": assignment,
            "item": item,
            "points": mark.points,
            "comment": mark.comment,
            "marker": mark.marker,
            "answer_sha256": mark.answer_sha256,
            "undoes": undoes,
            "act": act or None,
            "rubric": json.dumps([one.as_json() for one in mark.rubric]) if mark.rubric else None,
            "kept_at": mark.given_at if carried else now,
        }
        for (student, assignment, item), mark in marks.items()
    ]
    if added:
        connection.execute(table.insert(), added)


def keep(connection: Connection, given: ManualMarks, marker: str) -> int:
    """Append the marks that are new or changed; returns how many.

    A mark of a group, under its first member's name, is for every member; a row under another
    member's name is for that member alone.

    A mark is given for the answer that its `answer_sha256` names, or else for the newest. One that
    only repeats what is stored changes nothing: so a list of marks that is given twice does not
    confirm a mark whose answer has changed since; naming the answer does. A comment alone leaves
    the points that were given for the same answer, and the same points leave the rubric's items.
    """
    kept = newest(every(connection))
    graded = _Graded(connection, {assignment for _, assignment, _ in given.marks})
    new: dict[Item, ManualMark] = {}
    for item, mark in given.marks.items():
        mark = replace(mark, marker=mark.marker or marker, answer_sha256=graded.meant(item, mark))
        before = kept[item].mark if item in kept else ManualMark(None)
        if mark.only_comments and before.counts_for(mark.answer_sha256):
            mark = replace(mark, points=before.points)
        if mark.points == before.points and before.counts_for(mark.answer_sha256):
            mark = replace(mark, rubric=before.rubric)
        named = given.marks[item].answer_sha256 is not None
        confirms = named and mark.answer_sha256 != before.answer_sha256
        if mark == before and not (confirms and mark != ManualMark(None)):
            continue
        group = graded.members(item)
        for member in group if item[0] == group[0] else item[:1]:
            other = (member, *item[1:])
            theirs = kept[other].mark if other in kept else ManualMark(None)
            if other == item or (other not in given.marks and theirs == before):
                new[other] = mark
    append(connection, new)
    return len(new)


@dataclass
class _Graded:
    """The newest results of some assignments, and what marks are given for by them."""

    connection: Connection
    assignments: set[str]

    def __post_init__(self) -> None:
        found = [r for id in self.assignments for r in rows.newest(self.connection, id)]
        self._results = {(r.student, r.assignment): r for r in found}
        self._groups = answers.groups(found)

    def members(self, item: Item) -> Sequence[str]:
        return self._groups.get(item[:2], (item[0],))

    def meant(self, item: Item, mark: ManualMark) -> str | None:
        """The whole hash of the answer that a mark is given for."""
        now = answers.sha256_of(self._results.get(item[:2]), item[2])
        named = mark.answer_sha256
        if named is None or now is None or now.startswith(named):
            return now
        earlier = [answers.sha256_of(r, item[2]) for r in rows.of(self.connection, *item[:2])]
        return next((sha for sha in earlier if sha and sha.startswith(named)), named)


def with_earlier_answers(connection: Connection, results: Sequence[Result]) -> list[Result]:
    """The results, whose held marks tell the text that each was given for.

    A mark that raised the points of an exercise is held no longer once it has all of them anyway.
    """
    return [_told(connection, result) if result.held else result for result in results]


def _told(connection: Connection, result: Result) -> Result:
    every_one = rows.of(connection, result.student, result.assignment)
    held = []
    for mark in result.held:
        graded = (r for r in every_one if answers.sha256_of(r, mark.item) == mark.answer_sha256)
        before = next(graded, None)
        if not _is_moot(mark, before, result):
            text = answers.text_of(before, mark.item) if before else ""
            held.append(mark.model_copy(update={"answer": text}))
    return result.model_copy(update={"held": held})


def _is_moot(mark: Held, before: Result | None, now: Result) -> bool:
    """Whether the mark raised the points of an exercise that has full points now."""
    was, got = (
        next((e for e in result.exercises if e.id == mark.item), None) if result else None
        for result in (before, now)
    )
    if was is None or got is None or mark.points is None:
        return False
    return (was.points or 0) < mark.points and got.points == got.max_points
