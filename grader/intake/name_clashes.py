"""Keeps downloads of two people apart that one student of the roster would get."""

from collections.abc import Sequence
from dataclasses import replace
from itertools import combinations

from ..classroom.roster import Roster
from .entry import Entry


def separate(found: Sequence[Entry], ids: Sequence[str], roster: Roster) -> list[Entry]:
    """The entries, of which each student has those of one number in a platform.

    It is the number in the roster. If that has none of them, nobody can tell whose they are: they
    go under their own names. Moodle's numbers are of one assignment.
    """
    claims: dict[tuple[str, str], list[Entry]] = {}
    for entry in found:
        if entry.download and entry.known and not entry.group:
            claims.setdefault((entry.student, entry.download.system), []).append(entry)
    contested = {
        id(entry)
        for (student, system), entries in claims.items()
        if _differ(entries, ids)
        for entry in entries
        if _number(entry) != roster.student(student).names.get(system, "").casefold()
    }
    found = [
        replace(e, student=e.own, known=False, by_name=False, claimed=e.student)
        if id(e) in contested
        else e
        for e in found
    ]
    return _together(found)


def _differ(entries: Sequence[Entry], ids: Sequence[str]) -> bool:
    """Whether two of a student's entries have different numbers for one assignment."""
    if len({_number(entry) for entry in entries}) < 2:
        return False
    named = [(_number(entry), {p.assignment for p in entry.places(ids)}) for entry in entries]
    return any(
        number != other and (of & others or "" in of | others)
        for (number, of), (other, others) in combinations(named, 2)
    )


def _number(entry: Entry) -> str:
    return entry.download.number.casefold() if entry.download else ""


def _together(found: Sequence[Entry]) -> list[Entry]:
    """The entries; those of one stranger, such as files and an online text, under one name."""
    strange = [(entry.download, entry) for entry in found if entry.download and not entry.known]
    strange.sort(key=lambda pair: pair[0].is_text)
    names: dict[tuple[str, ...], str] = {}
    for download, entry in strange:
        names.setdefault(download.account, entry.student)
    return [
        replace(e, student=names[e.download.account]) if e.download and not e.known else e
        for e in found
    ]
