"""The contents of the pages, as data for the templates."""

import datetime
from collections import Counter
from collections.abc import Callable, Sequence
from typing import Any
from urllib.parse import quote

from ..course.visible import visible
from ..gradebook.lateness import moment, written
from ..gradebook.manual import ManualMark
from ..report import written_text
from ..report.plain_text import counted
from . import entries
from .desk import Desk, Part
from .entries import FILTERS, Card, ChangedAnswer, Entry, Marker, Same
from .figures import Notebook, notebook_of
from .reference import Reference, Rubric

COMMENT_KEYS = "asdfghjkl"
SEEN = 12  # digits of an answer's hash in a form


def overview(desk: Desk, marker: Marker) -> dict[str, Any]:
    """Every question with what is left of it, and what each marker has done."""
    rows: list[dict[str, Any]] = []
    for number, part in enumerate(desk.parts()):
        found = desk.cards(part.assignment, part.item)
        marks = [e.answer.mark for c in found for e in c.entries if e.answer.marked]
        done = [mark.marker for mark in marks if mark]
        rows.append(
            {
                "part": part,
                "address": f"{part.assignment}/{part.item}",
                "answers": _count(found),
                "groups": len({card.group for card in found}),
                "marked": len(done),
                "left": {n: _count(found, n, marker) for n in FILTERS if n not in ("mine", "all")},
                "share": _count([c for c in found if marker.has(number, c)], "unmarked", marker),
                "by": sorted(Counter(visible(name) or "unnamed" for name in done).items()),
            }
        )
    return {"rows": rows, "left": sum(row["left"]["unmarked"] for row in rows)}


def questioned(desk: Desk, marker: Marker, part: Part) -> int:
    """How many answers to a question are in question, of all students."""
    return _count(desk.cards(part.assignment, part.item), "questioned", marker)


def card(
    desk: Desk, marker: Marker, part: Part, shown_card: Card, wanted: dict[str, str]
) -> dict[str, Any]:
    """One card with all that is beside it; `wanted` are the filters in the address."""
    found = desk.cards(part.assignment, part.item)
    told = desk.with_earlier_text(shown_card)
    beside = desk.reference(part)
    first, zone = told.first, desk.course.facts.zone
    result = desk.result(part.assignment, first.answer.students[0])
    notebook = notebook_of(result, desk.course.assignment(part.assignment)) if result else None
    return {
        "part": part,
        "first": first,
        "card": told,
        "text": written_text.html(first.answer.text, _figures(notebook, part, first)),
        "code": notebook.code(part.item) if notebook else [],
        "figures": figures_of(part, first),
        "source": visible(first.answer.text),
        "asked": visible(first.asked.reason) if first.asked else "",
        "members": _members(desk, marker, told),
        "mark": _mark(first.answer.mark, zone),
        "before": _before(first, zone),
        "reference": Reference(*(written_text.html(text) for text in beside)),
        "rubric": _rubric(desk.rubric(part), first),
        "same": [_same(one) for one in entries.others(found, shown_card)],
        "comments": list(zip(COMMENT_KEYS, _comments(found), strict=False)),
        "choices": [f"{n:g}" for n in range(int(part.points) + 1)] if part.points < 13 else [],
        "counts": {name: _count(found, name, marker) for name in FILTERS},
        "wanted": wanted,
    }


def last(desk: Desk, marker: Marker) -> dict[str, str] | None:
    """The last step that this marker stored, in this run or before, and can take back."""
    given = desk.given(marker.name)
    if not given:
        return None
    (_, assignment, item), mark = given[0].item, given[0].mark
    whose = {kept.item[0] for kept in given}
    cards = desk.cards(assignment, item)
    found = [e for card in cards for e in card.entries if whose & {*e.answer.students}]
    whom = label(desk, marker, found[0]) if found else "an answer that is no longer here"
    whom += f" and {len(found) - 1} more" if found[1:] else ""
    what = "no mark any more" if mark == ManualMark(None) else points(mark.points)
    at = written(moment(given[0].kept_at), desk.course.facts.zone)
    return {"act": given[0].act, "sentence": f"{item}: {what} for {whom}, {at}"}


def label(desk: Desk, marker: Marker, entry: Entry) -> str:
    """How an answer is called on a page."""
    if marker.anonymous:
        return f"answer {entry.number}"
    return ", ".join(visible(desk.names.get(name, name)) for name in entry.answer.students)


def points(value: float | None) -> str:
    """Such as "1 point"."""
    if value is None:
        return "no points"
    return f"{value:g} point" if value == 1 else f"{value:g} points"


def _rubric(rubric: Rubric, entry: Entry) -> dict[str, Any]:
    """The rubric with a tick for each item that the mark of the answer says is met."""
    mark = entry.answer.mark if entry.answer.marked else None
    met = {one.text for one in mark.rubric if one.met} if mark else set()
    items = [
        {"html": written_text.inline(one.text), "points": f"{one.points:g}", "met": one.text in met}
        for one in rubric.items
    ]
    above, below = written_text.html(rubric.above), written_text.html(rubric.below)
    return {"above": above, "criteria": items, "below": below}


def _same(one: Same) -> dict[str, Any]:
    """Such as "same words: 4 points by alice (3 students)"."""
    words = "same words" if one.exact else "nearly the same words"
    by = ", ".join(visible(name) or "somebody" for name in one.markers)
    what = f"{points(one.points)} by {by} ({counted(one.students, 'student')})"
    return {
        "exact": one.exact,
        "sentence": f"{words}: {what}",
        "key": f"{one.example.key}.{one.example.answer.version}",
    }


def _members(desk: Desk, marker: Marker, card: Card) -> list[dict[str, Any]]:
    """The answers of a card by their text; before the first of each, how it differs."""
    text = card.first.answer.text
    by_text: dict[str, list[Entry]] = {text: []}
    for entry in card.entries:
        by_text.setdefault(entry.answer.text, []).append(entry)
    return [
        {
            "seen": seen(entry),
            "label": label(desk, marker, entry),
            "difference": written_text.compared(text, other)
            if other != text and not place
            else None,
        }
        for other, alike in by_text.items()
        for place, entry in enumerate(alike)
    ]


def seen(entry: Entry) -> str:
    """The form's token for an answer: which it is, with which mark and which text it was shown."""
    return f"{entry.key}.{entry.answer.version}.{entry.answer.sha256[:SEEN]}"


def _before(entry: Entry, zone: datetime.tzinfo) -> dict[str, Any] | None:
    """Of a changed answer: its earlier mark, and how the text differs."""
    answer = entry.answer
    if not answer.changed:
        return None
    return {
        "mark": _mark(answer.mark, zone),
        "text": written_text.compared(answer.text_before, answer.text),
        "same": answer.text_before == answer.text,
    }


def _mark(mark: ManualMark | None, zone: datetime.tzinfo) -> dict[str, Any] | None:
    """A mark as the pages show it, with its time in the course's zone."""
    if mark is None:
        return None
    return {
        "points": points(mark.points),
        "value": "" if mark.points is None else f"{mark.points:g}",
        "met": [number for number, one in enumerate(mark.rubric, start=1) if one.met],
        "comment": mark.comment,
        "by": visible(mark.marker),
        "at": written(moment(mark.given_at), zone) if mark.given_at else "",
    }


def figures_of(part: Part, entry: Entry) -> str:
    """Where the figures of an answer are, seen from its page."""
    return f"../../figure/{part.assignment}/{part.item}/{entry.key}/"


def _figures(notebook: Notebook | None, part: Part, entry: Entry) -> Callable[[str], str]:
    """The address of each figure in an answer's text; "" if it is not there."""

    def address(name: str) -> str:
        there = notebook is not None and notebook.figure(part.item, name)
        return f"{figures_of(part, entry)}{quote(name)}" if there else ""

    return address


def _comments(found: Sequence[Card]) -> list[str]:
    """The comments given to answers to this question, the most frequent first."""
    given = [e.answer.mark.comment for c in found for e in c.entries if e.answer.mark]
    return [text for text, _ in Counter(filter(None, given)).most_common(len(COMMENT_KEYS))]


def _count(found: Sequence[Card], name: str = "all", marker: Marker | None = None) -> int:
    """Of answers; a filter's name counts those that it shows."""
    who = marker.name if marker else ""
    return sum(FILTERS[name](entry, who) for card in found for entry in card.entries)


def conflict(
    desk: Desk, marker: Marker, mine: ManualMark, meanwhile: Sequence[ChangedAnswer]
) -> dict[str, Any]:
    """Both marks of each answer that has changed since this marker saw it."""
    zone = desk.course.facts.zone
    rows = [
        {
            "label": label(desk, marker, one.entry),
            "theirs": _mark(one.entry.answer.mark, zone),
            "text": written_text.html(one.entry.answer.text) if one.new_text else None,
        }
        for one in meanwhile
    ]
    return {"rows": rows, "mine": _mark(mine, zone)}
